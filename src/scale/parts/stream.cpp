#include <algorithm>

#include "scale/parts/assign.h"
#include "scale/parts/stream_assigner.h"

namespace ordered_gnn::scale {
namespace {

// Parts may be larger than their share by this much.
constexpr double kSlack = 1.05;
constexpr double kLabelledSlack = 1.2;

template <typename Index>
void add_neighbours(const Adjacency& lists, const Index* col, int64_t v,
                    StreamAssigner& assigner) {
  const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
  for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
    assigner.add_neighbour(v, col[e]);
  }
}

void add_neighbours(const Adjacency& lists, int64_t v,
                    StreamAssigner& assigner) {
  if (lists.col.scalar_type() == at::kInt) {
    add_neighbours(lists, lists.col.data_ptr<int32_t>(), v, assigner);
  } else {
    add_neighbours(lists, lists.col.data_ptr<int64_t>(), v, assigner);
  }
}

}  // namespace

StreamAssigner::StreamAssigner(int64_t nodes, int64_t edges,
                               const int64_t* labels, int64_t parts)
    : parts_(parts),
      labels_(labels),
      part_of_(nodes, -1),
      load_(parts, 0),
      labelled_(parts, 0),
      neighbours_(parts, 0) {
  const double total =
      static_cast<double>(edges) + kRowCost * static_cast<double>(nodes);
  const auto share = static_cast<double>(parts);
  room_ = kSlack * total / share;
  const auto known = std::count_if(labels, labels + nodes,
                                   [](int64_t label) { return label >= 0; });
  labelled_room_ =
      std::max(1.0, kLabelledSlack * static_cast<double>(known) / share);
}

void StreamAssigner::place(int64_t v, int64_t in_degree) {
  const double cost = kRowCost + static_cast<double>(in_degree);
  const double label = labels_[v] >= 0 ? 1 : 0;
  if (part_of_[v] >= 0) {
    load_[part_of_[v]] -= cost;
    labelled_[part_of_[v]] -= label;
  }
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

Assignment assign_by_stream(const NodeDataset& data, int64_t parts) {
  const Graph& graph = data.graph;
  const at::Tensor labels = data.labels.contiguous();
  StreamAssigner assigner(data.num_nodes(), graph.num_edges(),
                          labels.data_ptr<int64_t>(), parts);
  const int64_t* const in = graph.in().rowptr.data_ptr<int64_t>();
  for (int walk = 0; walk < StreamAssigner::kWalks; ++walk) {
    for (int64_t v = 0; v < data.num_nodes(); ++v) {
      add_neighbours(graph.in(), v, assigner);
      add_neighbours(graph.out(), v, assigner);
      assigner.place(v, in[v + 1] - in[v]);
    }
  }
  return assigner.take();
}

}  // namespace ordered_gnn::scale
