#include "scale/parts/streamed_lists.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "scale/parts/stream_assigner.h"
#include "scale/parts/work_folder.h"

namespace ordered_gnn::scale {
namespace {

// The messages that Graph::from_edges() makes of edges.
class MessageAdder {
 public:
  MessageAdder(int64_t nodes, const Treatment& treatment, StoredLists& lists)
      : nodes_(nodes),
        forward_(treatment.direction != Direction::reversed),
        backward_(treatment.direction != Direction::as_stored),
        drops_loops_(treatment.self_loops != SelfLoops::keep),
        adds_loops_(treatment.self_loops == SelfLoops::add),
        lists_(lists) {}

  void add(const at::Tensor& piece) {
    const at::Tensor ends = piece.contiguous();
    const int64_t* const first = ends.data_ptr<int64_t>();
    const int64_t* const second = first + ends.size(1);
    for (int64_t e = 0; e < ends.size(1); ++e, ++edge_) {
      if (std::min(first[e], second[e]) < 0 ||
          std::max(first[e], second[e]) >= nodes_) {
        fail("edge {} joins nodes {} and {}; nodes are 0 to {}", edge_,
             first[e], second[e], nodes_ - 1);
      }
      if (first[e] == second[e] && drops_loops_) continue;
      if (forward_) lists_.add(first[e], second[e]);
      if (backward_) lists_.add(second[e], first[e]);
    }
  }

  void finish() {
    if (adds_loops_) {
      for (int64_t v = 0; v < nodes_; ++v) lists_.add(v, v);
    }
    lists_.in.sort();
    lists_.out.sort();
  }

 private:
  const int64_t nodes_;
  const bool forward_, backward_, drops_loops_, adds_loops_;
  StoredLists& lists_;
  int64_t edge_ = 0;
};

Assignment walk_nodes(const StoredLists& lists, int64_t nodes,
                      const int64_t* labels, int64_t parts) {
  StreamAssigner assigner(nodes, lists.in.num_entries(), labels, parts);
  for (int walk = 0; walk < StreamAssigner::kWalks; ++walk) {
    for (int64_t b = 0; b < lists.in.num_buckets(); ++b) {
      const ListStore::Rows in = lists.in.read(b);
      const ListStore::Rows out = lists.out.read(b);
      for (int64_t r = 0; r < in.size(); ++r) {
        const int64_t v = in.first + r;
        for (const ListStore::Rows* rows : {&in, &out}) {
          for (int64_t e = rows->rowptr[r]; e < rows->rowptr[r + 1]; ++e) {
            assigner.add_neighbour(v, rows->column[e]);
          }
        }
        assigner.place(v, in.rowptr[r + 1] - in.rowptr[r]);
      }
    }
  }
  return assigner.take();
}

}  // namespace

StoredLists store_lists(data::GraphSource& source, const Treatment& treatment,
                        const std::filesystem::path& folder, int64_t entries,
                        data::StreamedFingerprint& fingerprint) {
  const int64_t nodes = source.nodes().num_nodes;
  const int64_t both = treatment.direction == Direction::undirected ? 2 : 1;
  const int64_t about = source.num_edges() * both + nodes;
  StoredLists lists{{folder / kInLists, nodes, about, entries},
                    {folder / kOutLists, nodes, about, entries}};
  MessageAdder messages(nodes, treatment, lists);
  source.walk_edges([&](const at::Tensor& edges, const at::Tensor& weights) {
    fingerprint.add_edges(edges, weights);
    messages.add(edges);
  });
  messages.finish();
  return lists;
}

Assignment assign_streamed(const StoredLists& lists, const RawDataset& nodes,
                           int64_t parts) {
  if (parts == 1) return Assignment(nodes.num_nodes, 0);
  const at::Tensor labels = nodes.labels.contiguous();
  Assignment assignment =
      walk_nodes(lists, nodes.num_nodes, labels.data_ptr<int64_t>(), parts);
  fill_empty_parts(parts, assignment);
  PartMessages between(parts);
  for_rows(lists.in,
           [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
             for (; begin < end; ++begin) {
               count_message(assignment[v], assignment[*begin], between);
             }
           });
  order_parts(between, assignment);
  return assignment;
}

}  // namespace ordered_gnn::scale
