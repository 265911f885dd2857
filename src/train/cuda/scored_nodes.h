#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "train/cuda/kernels/epoch_state.h"
#include "train/epochs.h"

namespace ordered_gnn::training {

/// The labelled nodes of a split's parts on the device, the counts that scores
/// are made of, and the records of the last epochs. Of two classes the pairs
/// that ROC-AUC is made of are counted too where they are at most kMostPairs.
class ScoredNodes {
 public:
  /// @param data      on the GPU.
  /// @param capacity  epochs whose records are kept.
  /// @param decides   whether the device picks the best epoch and stops the
  ///                  run; otherwise it only keeps records.
  ScoredNodes(const NodeDataset& data, int64_t split, int64_t capacity,
              bool decides);

  /// Whether the device has all that quick_scores() has of an epoch.
  static bool can_score(const NodeDataset& data, int64_t split, Metric metric);

  /// Both ask the current stream and can be recorded.
  void count(const at::Tensor& logits) const;
  void end_epoch(cuda::EpochState* state, const at::Tensor& loss,
                 const TrainOptions& options) const;

  /// What the epochs first .. last left, at most `capacity` of them; waits for
  /// the stream.
  std::vector<EpochOutcome> outcomes(int64_t first, int64_t last) const;

 private:
  int64_t num_classes_;
  int64_t capacity_;
  bool decides_;
  bool counts_pairs_;
  at::Tensor nodes_, labels_;
  int64_t ends_[cuda::kParts];
  int64_t positives_[cuda::kParts];  ///< where those of class 1 begin
  at::Tensor present_;               ///< [parts, classes] int64
  at::Tensor present_host_;          ///< the same on the CPU
  at::Tensor counts_;                ///< [parts, 2, classes] int64
  at::Tensor pairs_;                 ///< [parts, 2] int64
  at::Tensor records_;               ///< [capacity, words] int64
};

}  // namespace ordered_gnn::training
