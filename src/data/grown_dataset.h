#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/graph_part.h"
#include "core/grown_lists.h"
#include "ordered_gnn/data/added_nodes.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// A dataset with nodes and edges added, of which only what is asked for is
/// built. On the CPU.
class GrownDataset {
 public:
  /// The dataset as it is. It outlives this, as does that of the other one.
  explicit GrownDataset(const NodeDataset& data);
  /// @throws Error as with_added() does.
  GrownDataset(const NodeDataset& data, const AddedNodes& added);

  /// Whether edges have weights, which parts of a graph would lose.
  bool is_weighted() const { return data_.graph.weights().defined(); }

  int64_t num_nodes() const { return in_.num_nodes(); }
  int64_t num_new_nodes() const { return num_nodes() - data_.num_nodes(); }
  const core::GrownLists& in() const { return in_; }
  std::string name_of(int64_t node) const;

  /// Nodes whose logits may differ from those on the dataset as it was, rising:
  /// the new ones, and those that hear of a change in `hops` rounds of
  /// messages. A node that receives new messages changes what it sends at once,
  /// since that is scaled by its degree.
  std::vector<int64_t> changed_nodes(int64_t hops) const;

  /// Treated features of some nodes. One-hot rows stay as wide as the whole
  /// graph.
  NodeFeatures features_of(const std::vector<int64_t>& nodes) const;

  /// A dataset of some of the nodes, without names and labels but for those
  /// that are training nodes of `split`; -1: for none.
  NodeDataset part(const core::GraphPart& part, int64_t split) const;
  /// All of it; with nothing added what it was made from.
  NodeDataset whole() const;

 private:
  const NodeDataset& data_;
  std::vector<core::ListEntry> entries_;  // of the in-lists, added
  core::GrownLists in_;
  std::vector<std::string> names_;  // of the new nodes; empty: numbers
  NodeFeatures features_;           // treated, of the new nodes
};

}  // namespace ordered_gnn::data
