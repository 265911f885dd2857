#pragma once
#include <memory>

#include "scale/ranks/rank_work.h"

namespace ordered_gnn::scale {

/// A part and its replica of the model.
struct RankWork::PartRun {
  int64_t place = 0;  ///< among the parts of the rank
  Graph graph;
  NodeFeatures features;
  at::Tensor labels, splits, original;
  at::Tensor nodes;   ///< `original`, where the part is computed
  at::Tensor scored;  ///< rows that evaluation hands over
  std::shared_ptr<NodeModel> model;
  /// For an evaluation beside training: with rounds of its own, and without the
  /// state of a model in training.
  Graph graph_beside;
  std::shared_ptr<NodeModel> model_beside;
  at::Tensor train_rows, train_labels;  ///< where the part is computed
  double share = 0;                     ///< of the loss
  double loss = 0;
  at::Tensor logits;
};

/// Outside training, of all rows of a part: [n, C] on the CPU.
at::Tensor logits_of(NodeModel& model, const Graph& graph,
                     const RankWork::PartRun& part);

}  // namespace ordered_gnn::scale
