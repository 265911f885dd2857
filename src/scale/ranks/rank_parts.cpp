#include "scale/ranks/rank_parts.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

namespace ordered_gnn::scale {
namespace {

// The new ids in a list that are of other parts, rising.
std::vector<int64_t> outside_nodes(const Adjacency& lists, int64_t first,
                                   int64_t rows) {
  std::vector<int64_t> nodes;
  const at::Tensor col = lists.col.to(at::kLong);
  const int64_t* const id = col.data_ptr<int64_t>();
  for (int64_t e = 0; e < col.numel(); ++e) {
    if (id[e] < first || id[e] >= first + rows) nodes.push_back(id[e]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

int64_t place_in(const std::vector<int64_t>& rising, int64_t value) {
  return std::lower_bound(rising.begin(), rising.end(), value) - rising.begin();
}

// Columns as places of rows. Rows of a part are few enough for 32 bits.
Adjacency placed(const Adjacency& lists, int64_t first, int64_t rows,
                 const std::vector<int64_t>& halo) {
  const at::Tensor col = lists.col.to(at::kLong);
  const int64_t* const id = col.data_ptr<int64_t>();
  TORCH_CHECK(rows + static_cast<int64_t>(halo.size()) <=
                  std::numeric_limits<int32_t>::max(),
              "a part with its halo has 2^31 rows or more; make more parts");
  const at::Tensor out = at::empty({col.numel()}, at::kInt);
  auto* const place = out.data_ptr<int32_t>();
  for (int64_t e = 0; e < col.numel(); ++e) {
    const bool own = id[e] >= first && id[e] < first + rows;
    place[e] = static_cast<int32_t>(own ? id[e] - first
                                        : rows + place_in(halo, id[e]));
  }
  return {lists.rowptr, out};
}

std::vector<bool> marked(const std::vector<int64_t>& halo,
                         const std::vector<int64_t>& some) {
  std::vector<bool> marks(halo.size(), false);
  for (const int64_t node : some) marks[place_in(halo, node)] = true;
  return marks;
}

// Routes of one side, from what the rank's parts need.
class RouteMaker {
 public:
  RouteMaker(Group& group, const PartsManifest& manifest,
             const std::vector<int64_t>& bounds,
             const std::vector<LocalLists>& lists, HaloMarks side)
      : group_(group),
        manifest_(manifest),
        bounds_(bounds),
        lists_(lists),
        side_(side),
        first_part_(bounds[group.rank()]),
        last_part_(bounds[group.rank() + 1]) {}

  SideRoutes run() {
    routes_.parts.resize(lists_.size());
    collect_needed();
    routes_.receive_rows.assign(group_.size(), 0);
    for (const int64_t node : needed_) ++routes_.receive_rows[rank_of(node)];
    exchange_requests();
    routes_.arrivals = messages(needed_, routes_.receive_rows);
    plan_takes();
    plan_waits();
    return std::move(routes_);
  }

 private:
  bool is_own(int64_t part) const {
    return part >= first_part_ && part < last_part_;
  }

  int64_t rank_of(int64_t node) const {
    const int64_t part = manifest_.part_of(node);
    return std::upper_bound(bounds_.begin(), bounds_.end(), part) -
           bounds_.begin() - 1;
  }

  // Rows that the rank receives, each once however many of its parts want it;
  // rising, so that those of a rank are together.
  void collect_needed() {
    for (const LocalLists& part : lists_) {
      for (size_t i = 0; i < part.halo.size(); ++i) {
        const bool wanted = (part.*side_)[i];
        if (wanted && !is_own(manifest_.part_of(part.halo[i]))) {
          needed_.push_back(part.halo[i]);
        }
      }
    }
    std::sort(needed_.begin(), needed_.end());
    needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  }

  void exchange_requests() {
    const int64_t ranks = group_.size();
    routes_.send_rows.assign(ranks, 0);
    if (ranks == 1) return;
    constexpr int64_t kBytes = sizeof(int64_t);
    const std::vector<int64_t> one_each(ranks, kBytes);
    const at::Tensor wanted =
        at::from_blob(routes_.receive_rows.data(), {ranks}, at::kLong).clone();
    at::Tensor asked = at::empty({ranks}, at::kLong);
    group_.exchange(wanted, one_each, asked, one_each);
    const int64_t* const counts = asked.data_ptr<int64_t>();
    routes_.send_rows.assign(counts, counts + ranks);
    at::Tensor ids = at::empty({routes_.sent()}, at::kLong);
    const at::Tensor own =
        at::from_blob(needed_.data(), {routes_.received()}, at::kLong).clone();
    const auto in_bytes = [&](std::vector<int64_t> rows) {
      for (int64_t& count : rows) count *= kBytes;
      return rows;
    };
    group_.exchange(own, in_bytes(routes_.receive_rows), ids,
                    in_bytes(routes_.send_rows));
    plan_packs(ids);
    const int64_t* const id = ids.data_ptr<int64_t>();
    routes_.sends = messages({id, id + ids.numel()}, routes_.send_rows);
  }

  // Rows of a part are together in what goes to a rank or comes from it.
  std::vector<Message> messages(const std::vector<int64_t>& nodes,
                                const std::vector<int64_t>& rows) const {
    std::vector<Message> out;
    int64_t row = 0;
    for (int64_t r = 0; r < group_.size(); ++r) {
      for (const int64_t end = row + rows[r]; row < end; ++row) {
        const int64_t part = manifest_.part_of(nodes[row]);
        if (out.empty() || out.back().rank != r || out.back().part != part) {
          out.push_back({part, r, row, 0});
        }
        ++out.back().rows;
      }
    }
    return out;
  }

  void plan_packs(const at::Tensor& ids) {
    const int64_t* const id = ids.data_ptr<int64_t>();
    for (int64_t place = 0; place < ids.numel(); ++place) {
      const int64_t part = manifest_.part_of(id[place]);
      TORCH_CHECK(is_own(part), "rank ", group_.rank(),
                  " was asked for a row of part ", part);
      routes_.parts[part - first_part_].packs.push_back(
          {id[place] - manifest_.bounds[part], place});
    }
  }

  void plan_takes() {
    for (size_t p = 0; p < lists_.size(); ++p) {
      const LocalLists& lists = lists_[p];
      const int64_t rows = lists.rows();
      for (size_t i = 0; i < lists.halo.size(); ++i) {
        const bool wanted = (lists.*side_)[i];
        if (!wanted) continue;
        const int64_t node = lists.halo[i];
        const int64_t part = manifest_.part_of(node);
        const int64_t slot = rows + static_cast<int64_t>(i);
        if (is_own(part)) {
          routes_.parts[p].takes.push_back(
              {slot, part - first_part_, node - manifest_.bounds[part]});
        } else {
          routes_.parts[p].takes.push_back({slot, -1, place_in(needed_, node)});
        }
      }
    }
  }

  // For what a part waits before it takes rows.
  void plan_waits() {
    const auto distinct = [](std::vector<int64_t>& values) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    };
    const std::vector<Message>& all = routes_.arrivals;
    for (PartRoutes& part : routes_.parts) {
      for (const PartRoutes::Take& take : part.takes) {
        if (take.part >= 0) {
          part.neighbours.push_back(take.part);
          continue;
        }
        const auto behind = std::upper_bound(
            all.begin(), all.end(), take.row,
            [](int64_t row, const Message& one) { return row < one.first; });
        part.arrivals.push_back(behind - all.begin() - 1);
      }
      distinct(part.neighbours);
      distinct(part.arrivals);
    }
  }

  Group& group_;
  const PartsManifest& manifest_;
  const std::vector<int64_t>& bounds_;
  const std::vector<LocalLists>& lists_;
  const HaloMarks side_;
  const int64_t first_part_, last_part_;
  std::vector<int64_t> needed_;
  SideRoutes routes_;
};

}  // namespace

int64_t SideRoutes::sent() const {
  return std::accumulate(send_rows.begin(), send_rows.end(), int64_t{0});
}

int64_t SideRoutes::received() const {
  return std::accumulate(receive_rows.begin(), receive_rows.end(), int64_t{0});
}

LocalLists local_lists(const Part& part) {
  const int64_t rows = part.rows();
  const std::vector<int64_t> in = outside_nodes(part.in, part.first, rows);
  const std::vector<int64_t> out = outside_nodes(part.out, part.first, rows);
  LocalLists lists;
  std::set_union(in.begin(), in.end(), out.begin(), out.end(),
                 std::back_inserter(lists.halo));
  lists.sends = marked(lists.halo, in);
  lists.receives = marked(lists.halo, out);
  lists.in = placed(part.in, part.first, rows, lists.halo);
  lists.out = placed(part.out, part.first, rows, lists.halo);
  return lists;
}

void mark_loss(const at::Tensor& is_trained, LocalLists& lists) {
  const int64_t rows = lists.rows();
  const int64_t* const trained = is_trained.data_ptr<int64_t>();
  const int64_t* const rowptr = lists.in.rowptr.data_ptr<int64_t>();
  const auto* const col = lists.in.col.data_ptr<int32_t>();
  lists.sends_to_loss.assign(lists.halo.size(), false);
  lists.receives_for_loss.assign(lists.halo.size(), false);
  for (size_t i = 0; i < lists.halo.size(); ++i) {
    lists.receives_for_loss[i] =
        lists.receives[i] && trained[rows + static_cast<int64_t>(i)] == 1;
  }
  for (int64_t v = 0; v < rows; ++v) {
    if (trained[v] == 0) continue;
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      if (col[e] >= rows) lists.sends_to_loss[col[e] - rows] = true;
    }
  }
}

RankRoutes make_routes(Group& group, const PartsManifest& manifest,
                       const std::vector<int64_t>& bounds,
                       const std::vector<LocalLists>& lists, HaloMarks in,
                       HaloMarks out) {
  const auto routes = [&](HaloMarks side) {
    return RouteMaker(group, manifest, bounds, lists, side).run();
  };
  return {routes(in), routes(out), bounds[group.rank()]};
}

void share_nodes(Group& group, const std::vector<at::Tensor>& original,
                 SideRoutes& side) {
  const at::Tensor sent = at::empty({side.sent()}, at::kLong);
  at::Tensor received = at::empty({side.received()}, at::kLong);
  for (size_t p = 0; p < original.size(); ++p) {
    const int64_t* const ids = original[p].data_ptr<int64_t>();
    for (const PartRoutes::Pack& pack : side.parts[p].packs) {
      sent.data_ptr<int64_t>()[pack.place] = ids[pack.row];
    }
  }
  const auto in_bytes = [](std::vector<int64_t> rows) {
    for (int64_t& count : rows) count *= static_cast<int64_t>(sizeof(int64_t));
    return rows;
  };
  group.exchange(sent, in_bytes(side.send_rows), received,
                 in_bytes(side.receive_rows));
  const auto values = [](const at::Tensor& ids) {
    const int64_t* const first = ids.data_ptr<int64_t>();
    return std::vector<int64_t>(first, first + ids.numel());
  };
  side.sent_nodes = values(sent);
  side.received_nodes = values(received);
}

}  // namespace ordered_gnn::scale
