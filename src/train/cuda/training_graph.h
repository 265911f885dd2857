#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "ops/cuda/stored_parameters.h"
#include "train/cuda/captured_graph.h"
#include "train/cuda/kernels/epoch_state.h"
#include "train/train_step.h"

namespace ordered_gnn::training {

/// A training step as one CUDA graph: forward, loss, backward, clipping, Adam,
/// with the epoch and its learning rate counted on the device. What a replay
/// does depends on the state there alone.
class TrainingGraph {
 public:
  /// Model and step must be on the GPU and outlive the graph.
  /// @param storage  type of the rows of nodes.
  TrainingGraph(NodeModel& model, TrainStep& step, const TrainOptions& options,
                at::ScalarType storage);

  /// Makes replays go on behind a state.
  void set_state(const cuda::EpochState& state);
  /// Waits for the stream.
  cuda::EpochState state() const;
  cuda::EpochState* device_state() const;

  /// Records the step and what `tail` asks for after it, on the current stream.
  /// @param warm_tail  the same work as `tail` without lasting effect.
  void capture(const std::function<void()>& warm_tail = {},
               const std::function<void()>& tail = {});
  bool is_captured() const { return loss_.defined(); }
  void replay() { graph_.replay(); }

  /// average_decay() of the epoch that runs, read when it does; float64 of no
  /// dimension.
  at::Tensor average_decay() const;
  /// Converts the parameters as they are now where rows are stored in 16 bits;
  /// for a tail that changes them.
  void refresh_stored() const;

  /// Of the last replay; on the device.
  const at::Tensor& loss() const { return loss_; }

 private:
  void warm_up(const std::function<void()>& tail);
  void record(const std::function<void()>& tail);
  at::Tensor word(size_t offset, at::ScalarType type) const;

  NodeModel& model_;
  TrainStep& step_;
  const TrainOptions options_;
  at::Tensor state_;  ///< an EpochState as int64 words; the graph reads it
  at::Tensor lr_of_epoch_;     ///< [epochs] float64
  at::Tensor decay_of_epoch_;  ///< the same of averaged weights; may be
                               ///< undefined
  at::Tensor loss_;
  std::shared_ptr<cuda::StoredParameters> stored_;  ///< null: not needed
  CapturedGraph graph_;
};

}  // namespace ordered_gnn::training
