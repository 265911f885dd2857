#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "ordered_gnn/explain/node_table.h"
#include "ordered_gnn/explain/over_smoothing.h"
#include "ordered_gnn/explain/part_scores.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

struct GraphExplanationOptions {
  /// Index into data.splits; -1 for none, and 0 too where there are none.
  int64_t split = 0;
  int64_t mistakes = 20;  ///< length of that list, at least 0
  int64_t unusual = 20;   ///< the same
};

/// One layer of the model; entries are in rising order of `layer`.
struct LayerExplanation {
  int64_t layer = 0;  ///< rounds of messages, see LayerTrace
  int64_t width = 0;  ///< D
  LayerSpread spread;
  std::optional<LayerGates> gates;  ///< none for layer 0 and without gates
};

/// Nodes that have something in common.
struct NodeGroup {
  std::string name;
  int64_t nodes = 0;
  int64_t labelled = 0;
  /// Of the labelled ones, those of the training part among them; NaN without
  /// any.
  double accuracy = 0;
  int64_t tested = 0;        ///< labelled nodes of the test part
  double test_accuracy = 0;  ///< of those; NaN without any
  /// Mean hop shares, K + 1 of them; empty without nodes or without shares.
  std::vector<double> hop_shares;
  /// Mean share of open gates of every layer that has gates, see NodeTable.
  std::vector<double> open_gates;
};

/// A node and why it is listed.
struct ListedNode {
  int64_t node = 0;
  double value = 0;
};

/// What a model does on a whole graph. Parts that do not apply are empty.
struct GraphExplanation {
  std::vector<LayerExplanation> layers;  ///< empty: the model shows none
  NodeTable nodes;
  NodeGroup all;                    ///< "all nodes"
  std::vector<NodeGroup> by_class;  ///< C, by label, named as the classes
  /// "0", "1", "2-3", "4-7", ... up to the largest degree (NodeTable::degree).
  std::vector<NodeGroup> by_degree;
  /// "0-0.2", "0.2-0.4", ..., "0.8-1" by NodeTable::homophily, the upper end
  /// left out but of the last, and "unknown" for NaN.
  std::vector<NodeGroup> by_homophily;
  /// "train", "val", "test" and "none"; empty without a split.
  std::vector<NodeGroup> by_part;
  /// "train", "val", "test" (with a split) and, last, "all".
  std::vector<PartScores> parts;
  /// Labelled nodes that are predicted wrong, most confident first; value: the
  /// confidence. Of the test part, or of all nodes without a split.
  std::vector<ListedNode> mistakes;
  /// Nodes whose hop shares differ most from those of the nodes with the same
  /// prediction; value: half the L1 distance from their mean, in [0, 1], the
  /// share of neurons that other hops own. Nodes at distance 0 are not listed.
  std::vector<ListedNode> unusual;

  /// The part by its name.  @throws Error naming the parts there are.
  const PartScores& part(const std::string& name) const;
};

/// One forward pass and a few passes over the result. Memory: that of
/// describe_nodes() and one more [N, D].
/// @throws Error as describe_nodes() does, naming the layer of a value that is
///         not finite.
GraphExplanation explain_graph(NodeModel& model, const NodeDataset& data,
                               const GraphExplanationOptions& options = {});

}  // namespace ordered_gnn
