#include <algorithm>
#include <vector>

#include "scale/parts/assign.h"

namespace ordered_gnn::scale {
namespace {

// Parts may be larger than their share by this much.
constexpr double kSlack = 1.05;
constexpr double kLabelledSlack = 1.2;
constexpr int kWalks = 2;

// The greedy choice of parts, node by node.
class StreamAssigner {
 public:
  StreamAssigner(const NodeDataset& data, int64_t parts)
      : data_(data),
        parts_(parts),
        labels_(data.labels.data_ptr<int64_t>()),
        in_(data.graph.in().rowptr.data_ptr<int64_t>()),
        part_of_(data.num_nodes(), -1),
        load_(parts, 0),
        labelled_(parts, 0),
        neighbours_(parts, 0) {
    const auto nodes = static_cast<double>(data.num_nodes());
    const double total =
        static_cast<double>(data.graph.num_edges()) + kRowCost * nodes;
    const auto share = static_cast<double>(parts);
    room_ = kSlack * total / share;
    const auto known = data.labels.ge(0).sum().item<int64_t>();
    labelled_room_ =
        std::max(1.0, kLabelledSlack * static_cast<double>(known) / share);
  }

  Assignment run() {
    for (int walk = 0; walk < kWalks; ++walk) {
      for (int64_t v = 0; v < data_.num_nodes(); ++v) place(v);
    }
    return std::move(part_of_);
  }

 private:
  void place(int64_t v) {
    const double cost = kRowCost + static_cast<double>(in_[v + 1] - in_[v]);
    const double label = labels_[v] >= 0 ? 1 : 0;
    if (part_of_[v] >= 0) {
      load_[part_of_[v]] -= cost;
      labelled_[part_of_[v]] -= label;
    }
    count_neighbours(data_.graph.in(), v);
    count_neighbours(data_.graph.out(), v);
    int32_t best = -1;
    double best_score = 0;
    for (int32_t p = 0; p < parts_; ++p) {
      double left = 1 - load_[p] / room_;
      if (label > 0) left = std::min(left, 1 - labelled_[p] / labelled_room_);
      // A part without neighbours is chosen by its room alone.
      const double score = left > 0 ? (neighbours_[p] + 1e-3) * left : left - 1;
      if (best < 0 || score > best_score) {
        best = p;
        best_score = score;
      }
    }
    for (const int32_t p : touched_) neighbours_[p] = 0;
    touched_.clear();
    part_of_[v] = best;
    load_[best] += cost;
    labelled_[best] += label;
  }

  void count_neighbours(const Adjacency& lists, int64_t v) {
    const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
    const bool narrow = lists.col.scalar_type() == at::kInt;
    const auto* const narrow_col =
        narrow ? lists.col.data_ptr<int32_t>() : nullptr;
    const auto* const wide_col =
        narrow ? nullptr : lists.col.data_ptr<int64_t>();
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      const int64_t u = narrow ? narrow_col[e] : wide_col[e];
      const int32_t part = part_of_[u];
      if (part < 0 || u == v) continue;
      if (neighbours_[part] == 0) touched_.push_back(part);
      neighbours_[part] += 1;
    }
  }

  const NodeDataset& data_;
  const int64_t parts_;
  const int64_t* const labels_;
  const int64_t* const in_;
  Assignment part_of_;
  std::vector<double> load_, labelled_, neighbours_;
  std::vector<int32_t> touched_;
  double room_ = 0, labelled_room_ = 0;
};

}  // namespace

Assignment assign_by_stream(const NodeDataset& data, int64_t parts) {
  return StreamAssigner(data, parts).run();
}

}  // namespace ordered_gnn::scale
