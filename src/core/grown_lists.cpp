#include "core/grown_lists.h"

#include <ATen/Functions.h>

#include <limits>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

void check_added_edges(int64_t num_nodes, const at::Tensor& edges) {
  if (edges.dim() != 2 || edges.size(0) != 2 ||
      edges.scalar_type() != at::kLong || !edges.device().is_cpu()) {
    fail("added edges must be [2, E] int64 on the CPU");
  }
  const at::Tensor ends = edges.contiguous();
  const int64_t* const id = ends.data_ptr<int64_t>();
  for (int64_t i = 0; i < ends.numel(); ++i) {
    if (id[i] >= 0 && id[i] < num_nodes) continue;
    fail(
        "added edge {} names node {}, but nodes are 0 to {}, the new ones "
        "among them",
        i % ends.size(1), id[i], num_nodes - 1);
  }
}

template <typename Index>
void fill_merged(const GrownLists& lists, Adjacency& out) {
  int64_t* const rowptr = out.rowptr.data_ptr<int64_t>();
  Index* const col = out.col.data_ptr<Index>();
  int64_t next = 0;
  for (int64_t v = 0; v < lists.num_nodes(); ++v) {
    lists.for_each(v, [&](int64_t u) { col[next++] = static_cast<Index>(u); });
    rowptr[v + 1] = next;
  }
}

bool has_entry(const GrownLists& lists, const ListEntry& entry) {
  if (entry.first >= lists.num_nodes()) return false;
  bool found = false;
  lists.for_each(entry.first,
                 [&](int64_t u) { found = found || u == entry.second; });
  return found;
}

}  // namespace

std::vector<ListEntry> added_entries(const Graph& graph, int64_t num_nodes,
                                     const at::Tensor& edges,
                                     const GraphOptions& options) {
  check_added_edges(num_nodes, edges);
  const at::Tensor ends = edges.contiguous();
  const int64_t count = ends.size(1);
  const int64_t* const first = ends.data_ptr<int64_t>();
  const int64_t* const second = first + count;
  const bool keeps_loops = options.self_loops == SelfLoops::keep;
  std::vector<ListEntry> all;
  for (int64_t e = 0; e < count; ++e) {
    if (first[e] == second[e] && !keeps_loops) continue;
    if (options.direction != Direction::reversed) {
      all.emplace_back(second[e], first[e]);
    }
    if (options.direction != Direction::as_stored) {
      all.emplace_back(first[e], second[e]);
    }
  }
  if (options.self_loops == SelfLoops::add) {
    for (int64_t v = graph.num_nodes(); v < num_nodes; ++v) {
      all.emplace_back(v, v);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const GrownLists old(graph.in());
  all.erase(std::remove_if(
                all.begin(), all.end(),
                [&](const ListEntry& entry) { return has_entry(old, entry); }),
            all.end());
  return all;
}

GrownLists::GrownLists(Adjacency lists)
    : GrownLists(lists, lists.rowptr.numel() - 1, {}) {}

GrownLists::GrownLists(Adjacency lists, int64_t num_nodes,
                       std::vector<ListEntry> added)
    : lists_(std::move(lists)),
      old_nodes_(lists_.rowptr.numel() - 1),
      num_nodes_(num_nodes),
      rowptr_(lists_.rowptr.data_ptr<int64_t>()),
      added_(std::move(added)) {
  if (lists_.col.scalar_type() == at::kInt) {
    narrow_ = lists_.col.data_ptr<int32_t>();
  } else {
    wide_ = lists_.col.data_ptr<int64_t>();
  }
  std::sort(added_.begin(), added_.end());
}

Adjacency GrownLists::merged() const {
  const bool narrow = num_nodes_ <= std::numeric_limits<int32_t>::max();
  Adjacency out{at::zeros({num_nodes_ + 1}, at::kLong),
                at::empty({num_edges()}, narrow ? at::kInt : at::kLong)};
  if (narrow) {
    fill_merged<int32_t>(*this, out);
  } else {
    fill_merged<int64_t>(*this, out);
  }
  return out;
}

}  // namespace ordered_gnn::core
