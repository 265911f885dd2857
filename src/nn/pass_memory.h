#pragma once
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::nn {

/// ModelEntry::prediction_rows and training_rows: what lines of the table of
/// models say of their memory. `least` counts what no order of operations gets
/// by without; `most` is set so that the passes measured by
/// tests/train/training_memory_test.cpp stay below it.

using RowsOfPass = PassRows(const ModelOptions& options, const PassSize& size);

/// Predictions of a network without rounds of messages, of one whose rounds
/// hold so many rows at a time, of one that ends with the states of all rounds,
/// of one whose states double in width with every round, of one that only
/// spreads scores, and of a gated one.
RowsOfPass predicts_as_mlp;
template <int kMost>
PassRows predicts_in_rounds(const ModelOptions& /*options*/,
                            const PassSize& /*size*/) {
  PassRows rows;
  rows.most = kMost;
  rows.class_rows = 4;
  return rows;
}
RowsOfPass predicts_all_rounds;
RowsOfPass predicts_doubling;
RowsOfPass predicts_scores;
PassRows predicts_gated(const OrderedGnnOptions& network, const PassSize& size);
template <OrderedGnnOptions (*kNetwork)(const ModelOptions&)>
PassRows predicts_gated(const ModelOptions& options, const PassSize& size) {
  return predicts_gated(kNetwork(options), size);
}

/// Training of an Ordered GNN, of the one that the model is.
PassRows trains_ordered(const OrderedGnnOptions& network, const PassSize& size);
template <OrderedGnnOptions (*kNetwork)(const ModelOptions&)>
PassRows trains_ordered(const ModelOptions& options, const PassSize& size) {
  return trains_ordered(kNetwork(options), size);
}

/// What a round of another network keeps.
struct RoundRows {
  double least;
  double most;
  double edge_values;  ///< per edge and head
};

/// Training of a network whose `layers` keep that much each; the last gives
/// scores.
PassRows trains_rounds(const ModelOptions& options, const PassSize& size,
                       const RoundRows& round);
template <int kLeast, int kMost, int kEdgeValues = 0>
PassRows trains_layers(const ModelOptions& options, const PassSize& size) {
  return trains_rounds(options, size, {kLeast, kMost, kEdgeValues});
}

/// Training of LINKX, which has a row of parameters per node, of Polynormer,
/// whose last layers are between all nodes, and of FSGNN, which has a state for
/// every hop, twice; predictions of the latter.
RowsOfPass trains_linkx;
RowsOfPass trains_polynormer;
RowsOfPass trains_hop_maps;
RowsOfPass predicts_hop_maps;

/// Training of a perceptron whose scores spread over `hops`, of JK-Net, of
/// H2GCN, whose states double in width with every round, of IncepGCN, which has
/// a branch for every depth, of a model that maps features to scores, and of
/// those that read none.
RowsOfPass trains_spread_scores;
RowsOfPass trains_jumping;
RowsOfPass trains_doubling;
RowsOfPass trains_branches;
RowsOfPass trains_linear;
RowsOfPass trains_without_features;

}  // namespace ordered_gnn::nn
