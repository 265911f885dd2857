#include "scale/parts/plan.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

// Calls see(v, u) for every entry u of every row v of a list.
template <typename See>
void for_entries(const Adjacency& lists, const See& see) {
  const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
  const int64_t rows = lists.rowptr.numel() - 1;
  const auto walk = [&](const auto* col) {
    for (int64_t v = 0; v < rows; ++v) {
      for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
        see(v, static_cast<int64_t>(col[e]));
      }
    }
  };
  if (lists.col.scalar_type() == at::kInt) {
    walk(lists.col.data_ptr<int32_t>());
  } else {
    walk(lists.col.data_ptr<int64_t>());
  }
}

// Distinct entries outside a group of nodes, for each group; `group_of` says
// which group a node is in. Nodes of a group must be walked together, so rows
// are taken in the order of new ids.
class OutsideCounter {
 public:
  /// @param rows    rows that are walked, by original ids; null: all.
  /// @param others  entries that count, by original ids; null: all.
  OutsideCounter(const Adjacency& lists, const PartsPlan& plan,
                 const std::vector<bool>* rows = nullptr,
                 const std::vector<bool>* others = nullptr)
      : lists_(lists),
        rows_(rows),
        others_(others),
        original_(plan.original.data_ptr<int64_t>()),
        new_id_(plan.new_id.data_ptr<int64_t>()),
        seen_by_(plan.original.numel(), -1) {}

  /// Of the group of new ids [begin, end), which no other call may share.
  int64_t count(int64_t group, int64_t begin, int64_t end) {
    return lists_.col.scalar_type() == at::kInt
               ? count(group, begin, end, lists_.col.data_ptr<int32_t>())
               : count(group, begin, end, lists_.col.data_ptr<int64_t>());
  }

 private:
  template <typename Index>
  int64_t count(int64_t group, int64_t begin, int64_t end, const Index* col) {
    const int64_t* const rowptr = lists_.rowptr.data_ptr<int64_t>();
    int64_t outside = 0;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t v = original_[row];
      if (rows_ != nullptr && !(*rows_)[v]) continue;
      for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
        const int64_t other = new_id_[col[e]];
        if (other >= begin && other < end) continue;
        if (others_ != nullptr && !(*others_)[col[e]]) continue;
        if (seen_by_[other] == group) continue;
        seen_by_[other] = group;
        ++outside;
      }
    }
    return outside;
  }

  const Adjacency& lists_;
  const std::vector<bool>* const rows_;
  const std::vector<bool>* const others_;
  const int64_t* const original_;
  const int64_t* const new_id_;
  std::vector<int64_t> seen_by_;
};

int64_t entries_of(const Adjacency& lists, const int64_t* original,
                   int64_t begin, int64_t end) {
  const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
  int64_t entries = 0;
  for (int64_t row = begin; row < end; ++row) {
    entries += rowptr[original[row] + 1] - rowptr[original[row]];
  }
  return entries;
}

// Messages that parts receive from other parts.
std::vector<int64_t> cut_messages(const Graph& graph, const PartsPlan& plan) {
  const int64_t* const new_id = plan.new_id.data_ptr<int64_t>();
  const auto part_of = [&](int64_t node) {
    return std::upper_bound(plan.bounds.begin(), plan.bounds.end(),
                            new_id[node]) -
           plan.bounds.begin() - 1;
  };
  std::vector<int64_t> cut(plan.bounds.size() - 1, 0);
  for_entries(graph.in(), [&](int64_t v, int64_t u) {
    const auto part = part_of(v);
    if (part != part_of(u)) ++cut[part];
  });
  return cut;
}

}  // namespace

void require_part_count(int64_t parts) {
  if (parts >= 1 && parts <= kMostParts) return;
  throw UsageError(fmt::format("--parts {}: a graph is cut into 1 to {} parts",
                               parts, kMostParts));
}

PartsPlan make_plan(const Assignment& assignment, int64_t parts) {
  require_part_count(parts);
  const auto nodes = static_cast<int64_t>(assignment.size());
  PartsPlan plan;
  plan.bounds.assign(parts + 1, 0);
  for (const int32_t part : assignment) ++plan.bounds[part + 1];
  for (int64_t p = 0; p < parts; ++p) {
    if (plan.bounds[p + 1] == 0) {
      fail("part {} of {} has no node; ask for fewer parts", p, parts);
    }
    plan.bounds[p + 1] += plan.bounds[p];
  }
  plan.original = at::empty({nodes}, at::kLong);
  plan.new_id = at::empty({nodes}, at::kLong);
  int64_t* const original = plan.original.data_ptr<int64_t>();
  int64_t* const new_id = plan.new_id.data_ptr<int64_t>();
  std::vector<int64_t> next(plan.bounds.begin(), plan.bounds.end() - 1);
  for (int64_t v = 0; v < nodes; ++v) {
    new_id[v] = next[assignment[v]]++;
    original[new_id[v]] = v;
  }
  return plan;
}

std::vector<PartSize> part_sizes(const Graph& graph, const PartsPlan& plan) {
  const int64_t* const original = plan.original.data_ptr<int64_t>();
  OutsideCounter in(graph.in(), plan);
  OutsideCounter out(graph.out(), plan);
  const std::vector<int64_t> cut = cut_messages(graph, plan);
  std::vector<PartSize> sizes;
  for (size_t p = 0; p + 1 < plan.bounds.size(); ++p) {
    const int64_t begin = plan.bounds[p], end = plan.bounds[p + 1];
    const auto group = static_cast<int64_t>(p);
    sizes.push_back({entries_of(graph.in(), original, begin, end),
                     entries_of(graph.out(), original, begin, end), cut[p],
                     in.count(group, begin, end),
                     out.count(group, begin, end)});
  }
  return sizes;
}

void order_parts(const Graph& graph, int64_t parts, Assignment& assignment) {
  PartMessages between(parts);
  for_entries(graph.in(), [&](int64_t v, int64_t u) {
    count_message(assignment[v], assignment[u], between);
  });
  order_parts(between, assignment);
}

void order_parts(const PartMessages& between, Assignment& assignment) {
  const auto parts = static_cast<int64_t>(between.size());
  if (parts < 3) return;
  // The next part is the one that exchanges most with those before it, of which
  // a nearer one counts for more: what was placed earlier halves every time.
  std::vector<double> pull(parts, 0);
  std::vector<int32_t> place(parts, -1);
  int32_t last = 0;
  for (int32_t position = 0; position < parts; ++position) {
    if (position > 0) {
      last = -1;
      for (int32_t p = 0; p < parts; ++p) {
        if (place[p] < 0 && (last < 0 || pull[p] > pull[last])) last = p;
      }
    }
    place[last] = position;
    for (double& value : pull) value /= 2;
    for (const auto& [other, messages] : between[last]) {
      pull[other] += static_cast<double>(messages);
    }
  }
  for (int32_t& part : assignment) part = place[part];
}

void require_ranks(int64_t parts, int64_t ranks) {
  if (ranks >= 1 && ranks <= parts) return;
  throw UsageError(fmt::format(
      "--ranks {}: there are {} parts, and every rank needs one; use 1 to {} "
      "ranks or make more parts with 'ognn partition --parts'",
      ranks, parts, parts));
}

std::vector<int64_t> rank_bounds(const std::vector<int64_t>& part_bounds,
                                 int64_t ranks) {
  const auto parts = static_cast<int64_t>(part_bounds.size()) - 1;
  require_ranks(parts, ranks);
  const int64_t nodes = part_bounds.back();
  std::vector<int64_t> bounds = {0};
  for (int64_t r = 1; r < ranks; ++r) {
    const int64_t target = nodes / ranks * r + nodes % ranks * r / ranks;
    const auto found =
        std::lower_bound(part_bounds.begin(), part_bounds.end(), target);
    int64_t part = found - part_bounds.begin();
    // The nearer of the two bounds around the target.
    if (part > 0 &&
        target - part_bounds[part - 1] < part_bounds[part] - target) {
      --part;
    }
    bounds.push_back(std::clamp(part, bounds.back() + 1, parts - (ranks - r)));
  }
  bounds.push_back(parts);
  return bounds;
}

HaloRows halo_rows(const Graph& graph, const PartsPlan& plan, int64_t ranks,
                   const at::Tensor& trained) {
  const std::vector<int64_t> bounds = rank_bounds(plan.bounds, ranks);
  std::vector<bool> is_trained(graph.num_nodes(), false);
  const at::Tensor nodes = trained.contiguous();
  for (int64_t i = 0; i < nodes.numel(); ++i) {
    is_trained[nodes.data_ptr<int64_t>()[i]] = true;
  }
  OutsideCounter in(graph.in(), plan);
  OutsideCounter out(graph.out(), plan);
  OutsideCounter last_in(graph.in(), plan, &is_trained);
  OutsideCounter last_out(graph.out(), plan, nullptr, &is_trained);
  HaloRows rows;
  for (int64_t r = 0; r < ranks; ++r) {
    const int64_t begin = plan.bounds[bounds[r]];
    const int64_t end = plan.bounds[bounds[r + 1]];
    rows.in += in.count(r, begin, end);
    rows.out += out.count(r, begin, end);
    rows.last_in += last_in.count(r, begin, end);
    rows.last_out += last_out.count(r, begin, end);
  }
  return rows;
}

}  // namespace ordered_gnn::scale
