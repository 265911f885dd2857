#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/hop_shares.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

/// Part of a split that a node is in.
enum class NodePart : uint8_t { none, train, val, test };

/// The part of every node; a list of a split that is not defined is empty.
/// @param split  on the CPU, indices below `num_nodes`.
std::vector<NodePart> node_parts(const Split& split, int64_t num_nodes);

/// What is known of every node: entry v of each list belongs to node v.
struct NodeTable {
  int64_t num_classes = 0;
  /// Rounds of messages K; -1 for a model that does not show its layers.
  int64_t num_hops = -1;
  HopShareSource share_source = HopShareSource::none;

  std::vector<int64_t> label;      ///< of the dataset, every part; -1 = unknown
  std::vector<int64_t> predicted;  ///< the most probable class
  std::vector<float> confidence;   ///< its probability
  std::vector<int64_t> degree;     ///< in-neighbours, the node itself left out
  /// Share of the labelled in-neighbours, the node itself left out, that have
  /// the node's label; NaN without any or for an unlabelled node. Labels of the
  /// test part count: this describes the data, no model sees it.
  std::vector<float> homophily;
  std::vector<NodePart> part;
  /// N rows of K + 1 shares; empty with HopShareSource::none.
  std::vector<float> hop_shares;
  /// N rows with, for every layer that has gates, the share of the node's
  /// gates above kSaturatedGate; empty without gates.
  std::vector<float> open_gates;

  int64_t num_nodes() const { return static_cast<int64_t>(label.size()); }
  bool has_shares() const { return !hop_shares.empty(); }
  /// The K + 1 shares of one node; empty without shares.
  std::vector<double> shares_of(int64_t node) const;
};

/// One forward pass, on the whole graph or on a part of one (Graph::of_part),
/// whose labels of other parts are then fetched. Layers are streamed: alive at
/// a time are the two states [N, D] and gates of the pass, one number per node
/// and layer, and the result.
///
/// @param split     index into data.splits, or -1 for none; parts come from it.
/// @param on_layer  also sees every layer as it goes by, on the CPU; may be
///                  empty. For what else is to be computed from the pass.
/// @throws Error when the split does not exist, the data is not on the CPU, or
///         logits or gates are not finite.
NodeTable describe_nodes(
    NodeModel& model, const NodeDataset& data, int64_t split = -1,
    const std::function<void(const LayerTrace&)>& on_layer = {});

}  // namespace ordered_gnn
