#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "train/cuda/kernels/scores.h"

// Bookkeeping of a training run on the device: an epoch captured as a CUDA
// graph can be replayed any number of times without the host looking.
namespace ordered_gnn::cuda {

/// Where a run stands; seven words of eight bytes, kept on the device. Zeros
/// are the state before the first epoch. Once `stopped` is not 0, replays
/// change nothing but `running` and `improved`, which become 0.
struct EpochState {
  int64_t epoch = 0;       ///< the one that runs, from 1
  int64_t best_epoch = 0;  ///< with the best validation score; 0: none yet
  /// 0: goes on; 1: patience is used up or the last epoch was run; 2: the loss
  /// was not finite.
  int64_t stopped = 0;
  int64_t running = 0;   ///< 1 when this replay is an epoch of the run
  int64_t improved = 0;  ///< 1 when this epoch is the best so far
  double lr = 0;         ///< learning rate of this epoch
  double best_score = 0;
};

/// Opens an epoch unless the run has stopped: ++epoch, lr = lr_of_epoch[epoch -
/// 1], running = 1, improved = 0. A run that has done all `epochs` is stopped.
///
/// @param lr_of_epoch  [epochs], on the device.
cudaError_t launch_begin_epoch(EpochState* state, const double* lr_of_epoch,
                               int64_t epochs, cudaStream_t stream);

/// stopped = 2 when the epoch runs and its loss is not finite. Between the loss
/// and the first thing that must not happen then.
template <typename T>
cudaError_t launch_check_loss(EpochState* state, const T* loss,
                              cudaStream_t stream);

/// Words of eight bytes of an epoch's record:
///   [kRecordEpoch]   int64   epoch
///   [kRecordLoss]    double  loss
///   [kRecordLr]      double  learning rate
///   [kRecordPairs]   int64   pairs [3][2], see PairCounts; zeros where none
///                            are counted
///   [kRecordCounts]  int64   counts [3][2][classes], see ScoreCounts
constexpr int64_t kRecordEpoch = 0;
constexpr int64_t kRecordLoss = 1;
constexpr int64_t kRecordLr = 2;
constexpr int64_t kRecordPairs = 3;
constexpr int64_t kRecordCounts = kRecordPairs + kPairCounts;
constexpr __host__ __device__ int64_t record_words(int64_t classes) {
  return kRecordCounts + score_counts(classes);
}

/// The score of the validation part that decides which epoch is the best, in
/// the arithmetic of the functions of these names in train/metrics.h.
enum class EpochScore { accuracy, macro_f1, balanced_accuracy, roc_auc };

/// Closes an epoch: writes its record, compares its validation score with the
/// best and decides whether the run goes on, as the trainer does on the host.
/// An epoch with a loss that is not finite leaves a record and no more. Counts
/// and pairs are zeroed in any case, for the next replay.
template <typename T>
struct EndEpoch {
  EpochState* state = nullptr;
  const T* loss = nullptr;           // one number
  int64_t* counts = nullptr;         // [3][2][classes]
  int64_t* pairs = nullptr;          // [3][2]; zeros where none are counted
  const int64_t* present = nullptr;  // [3][classes]: nodes of label c in part p
  /// [capacity, record_words]: epoch e is kept in record (e - 1) % capacity.
  int64_t* records = nullptr;
  int64_t capacity = 0;
  int64_t classes = 0;
  int64_t epochs = 0;
  int64_t patience = 0;  ///< epochs without a better score that end the run
  EpochScore score = EpochScore::accuracy;
};

template <typename T>
cudaError_t launch_end_epoch(const EndEpoch<T>& job, cudaStream_t stream);

/// Tensors of one launch, see adam.h.
constexpr int kCopyTensors = 96;

struct CopyTensor {
  const void* from;
  void* to;
  int64_t size;         // in bytes, a multiple of 4; both aligned to 4
  int first_block = 0;  // filled by the launch
};

struct CopyTable {
  CopyTensor tensor[kCopyTensors];
  int count = 0;
};

/// Copies up to kCopyTensors tensors when *flag is not 0.
cudaError_t launch_copy_when(const int64_t* flag, CopyTable table,
                             cudaStream_t stream);

}  // namespace ordered_gnn::cuda
