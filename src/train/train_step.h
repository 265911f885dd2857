#pragma once
#include <cstdint>
#include <optional>

#include "ordered_gnn/core/receiver_lists.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/options.h"
#include "train/adam.h"
#include "train/evaluation_context.h"
#include "train/known_labels.h"
#include "train/training_work.h"

namespace ordered_gnn::training {

/// A model with its optimiser, ready to take steps on the labelled training
/// nodes of one split. Keeps references: model and data must outlive it.
class TrainStep : public TrainingWork {
 public:
  /// Gives theta and xi an L2 strength each; frozen input norms stop requiring
  /// gradients and are in no group.
  TrainStep(NodeModel& model, const NodeDataset& data, const Split& split,
            const TrainOptions& options);

  /// One epoch on the whole graph, or what drop_edges() leaves of it: forward
  /// with dropout, mean cross-entropy, weighted by class when asked for (of a
  /// model that reads labels: over those it is not told, see
  /// NodeModel::told_labels()), backward, clipping when asked for, Adam.
  /// @return the loss before the update. When it is not finite, parameters and
  ///         moments stay as they are.
  double run(int64_t epoch, double lr) override;

  /// The parts of run() that a CUDA graph is made of.
  /// @param step  as ForwardContext's.  @return the loss, a tensor of no
  ///              dimension that backward() takes.
  at::Tensor loss(const DropoutStep& step);
  /// Leaves the gradients of `loss`, and no others, in the parameters; of a
  /// model without any, nothing.
  void backward(const at::Tensor& loss);

  /// Logits of all nodes.
  at::Tensor evaluate() override;

  /// How the model is to be evaluated: without dropout, told the labels of the
  /// training nodes when it reads labels, with what it has prepared.
  /// Valid while this lives.
  ForwardContext evaluation() const;

  /// Forces one op after the other instead of the fused layer, to compare.
  void set_fused(bool fused) { fused_ = fused; }

  Adam& optimizer() override { return adam_; }

 protected:
  const KnownLabels& labels() const { return all_; }
  int64_t seed() const { return options_.seed; }
  /// The loss of some rows of another graph of nodes like these.
  at::Tensor loss_on(const Graph& graph, const NodeFeatures& features,
                     const DropoutStep& step, const at::Tensor& rows,
                     const at::Tensor& labels);
  /// Backward, clipping when asked for, Adam.
  void update(const at::Tensor& loss, double lr);

 private:
  ForwardContext training(const DropoutStep& step) const;
  at::Tensor loss_of(const at::Tensor& logits, const at::Tensor& rows,
                     const at::Tensor& labels) const;

  NodeModel& model_;
  const NodeDataset& data_;
  const TrainOptions options_;
  Adam adam_;
  const KnownLabels all_;     ///< labelled training nodes
  const at::Tensor weights_;  ///< of the classes; undefined: all the same
  const EvaluationContext context_;
  /// Of the nodes in all_, when the loss needs no others' logits and the model
  /// can do without them; then rows_ are 0, 1, ... for them.
  std::optional<ReceiverLists> receivers_;
  at::Tensor rows_;
  bool fused_ = true;
};

}  // namespace ordered_gnn::training
