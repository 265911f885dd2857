#pragma once
#include <memory>
#include <vector>

#include "data/grown_dataset.h"
#include "ordered_gnn/train/run_options.h"
#include "train/batch_choice.h"
#include "train/neighbor_sampler.h"
#include "train/train_step.h"

namespace ordered_gnn::training {

/// Layers that sampled batches are for at most.
inline constexpr int64_t kMostSampledLayers = 3;

/// Refuses runs whose steps cannot be on sampled neighbours; does nothing for
/// other batches.
/// @throws UsageError naming the model, option or number of layers, for the
///         latter how many nodes a step would hear, and what to do.
void require_samplable(const RunOptions& options);

/// Whether drawn messages are weighted: means are over what was kept, all other
/// sums are of all that there is.
bool sums_need_weights(const RunOptions& run);

/// Steps on batches of training nodes, each with drawn neighbours of all hops
/// that the model hears. An epoch is one pass over the labelled training nodes;
/// batches follow from seed and epoch, and masks of dropout are those of the
/// epoch, node by node. All layers are computed for all nodes of a batch.
/// Evaluation is that of TrainStep, on the whole graph.
class NeighborStep : public TrainStep {
 public:
  /// @param run  require_samplable() has passed.
  /// @throws UsageError when edges have weights.
  NeighborStep(NodeModel& model, const NodeDataset& data, const Split& split,
               const RunOptions& run);

  /// @return the mean loss over the training nodes, each in its own batch.
  double run(int64_t epoch, double lr) override;
  int64_t updates_of(int64_t epochs) const override;

  /// The part of run() that a batch is.
  /// @param places  of its nodes among the labelled training nodes.
  at::Tensor batch_loss(const std::vector<int64_t>& places, int64_t epoch,
                        int64_t batch);

 private:
  const data::GrownDataset rows_of_;
  const int64_t seeds_;  ///< of a batch, at most
  NeighborSampler sampler_;
};

}  // namespace ordered_gnn::training
