// Work split: one thread opens an epoch and looks at the loss, one block closes
// the epoch; copies give a block a run of one tensor.
// Memory: a few words; copies move 16 bytes at a time where pointers allow it.
// Determinism: scores are summed by one thread in the order of the classes, the
// order of the host, so both get the same bits.
#include <cmath>

#include "ops/cuda/kernels/block_sum.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/tensor_table.cuh"
#include "train/cuda/kernels/epoch_state.h"

namespace ordered_gnn::cuda {
namespace {

constexpr int64_t kCopyRun = 64 * kBlockThreads;  // bytes of a block

__global__ void begin_epoch_kernel(EpochState* state, const double* lr_of_epoch,
                                   int64_t epochs) {
  const int64_t epoch = state->epoch, stopped = state->stopped;
  const bool running = stopped == 0 && epoch < epochs;
  state->running = running ? 1 : 0;
  state->improved = 0;
  if (running) {
    state->epoch = epoch + 1;
    state->lr = lr_of_epoch[epoch];
  } else if (stopped == 0) {
    state->stopped = 1;
  }
}

template <typename T>
__global__ void check_loss_kernel(EpochState* state, const T* loss) {
  if (state->running != 0 && !isfinite(*loss)) state->stopped = 2;
}

// Right ones among the validation nodes; whole numbers, so any order will do.
template <typename T>
__device__ double accuracy(const EndEpoch<T>& job) {
  const int64_t* const hits = job.counts + 2 * job.classes;
  const int64_t* const present = job.present + job.classes;
  int64_t right = 0, nodes = 0;
  for (int64_t c = threadIdx.x; c < job.classes; c += kBlockThreads) {
    right += hits[c];
    nodes += present[c];
  }
  right = block_sum(right);
  nodes = block_sum(nodes);
  return nodes == 0 ? NAN
                    : static_cast<double>(right) / static_cast<double>(nodes);
}

// Macro F1 or, `of_labels`, balanced accuracy: the mean of 2 hits / (guessed +
// present) or of hits / present over the classes where that is not 0 / 0. The
// threads divide, one of them adds up; the result is in thread 0.
template <typename T>
__device__ double mean_over_classes(const EndEpoch<T>& job, bool of_labels) {
  __shared__ double share[kBlockThreads];  // below 0: not a class of this part
  const int64_t* const hits = job.counts + 2 * job.classes;
  const int64_t* const guessed = hits + job.classes;
  const int64_t* const present = job.present + job.classes;
  const double factor = of_labels ? 1.0 : 2.0;
  double total = 0;
  int64_t classes = 0;
  for (int64_t base = 0; base < job.classes; base += kBlockThreads) {
    const int64_t c = base + threadIdx.x;
    const int64_t whole =
        c < job.classes ? (of_labels ? 0 : guessed[c]) + present[c] : 0;
    share[threadIdx.x] = whole == 0 ? -1.0
                                    : factor * static_cast<double>(hits[c]) /
                                          static_cast<double>(whole);
    __syncthreads();
    const int64_t left = job.classes - base;
    const int size =
        left < kBlockThreads ? static_cast<int>(left) : kBlockThreads;
    for (int k = 0; threadIdx.x == 0 && k < size; ++k) {
      if (share[k] < 0) continue;
      total += share[k];
      ++classes;
    }
    __syncthreads();
  }
  return classes == 0 ? NAN : total / static_cast<double>(classes);
}

// Of two classes, in the arithmetic of roc_auc_of_pairs(). Ends with a barrier,
// as the other scores do.
template <typename T>
__device__ double roc_auc(const EndEpoch<T>& job) {
  const int64_t* const pairs = job.pairs + 2;
  const int64_t* const present = job.present + job.classes;
  const int64_t twice = pairs[0], nans = pairs[1];
  __syncthreads();
  if (nans != 0 || present[0] == 0 || present[1] == 0) return NAN;
  return static_cast<double>(twice) / 2.0 /
         (static_cast<double>(present[1]) * static_cast<double>(present[0]));
}

template <typename T>
__device__ double score_of(const EndEpoch<T>& job) {
  switch (job.score) {
    case EpochScore::accuracy:
      return accuracy(job);
    case EpochScore::roc_auc:
      return roc_auc(job);
    case EpochScore::macro_f1:
    case EpochScore::balanced_accuracy:
      break;
  }
  return mean_over_classes(job, job.score == EpochScore::balanced_accuracy);
}

// One thread; `now` is the state before. An epoch that was stopped by its loss
// is not compared.
template <typename T>
__device__ __forceinline__ void compare(const EndEpoch<T>& job,
                                        const EpochState& now, double score) {
  if (now.stopped != 0) return;
  const bool improved = now.best_epoch == 0 || score > now.best_score;
  if (improved) {
    job.state->improved = 1;
    job.state->best_epoch = now.epoch;
    job.state->best_score = score;
  }
  const int64_t best_epoch = improved ? now.epoch : now.best_epoch;
  if (now.epoch >= job.epochs || now.epoch - best_epoch >= job.patience) {
    job.state->stopped = 1;
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    end_epoch_kernel(const EndEpoch<T> job) {
  const EpochState now = *job.state;
  const double loss = static_cast<double>(*job.loss);
  const bool running = now.running != 0;
  const double score = score_of(job);
  int64_t* const record = running
                              ? job.records + (now.epoch - 1) % job.capacity *
                                                  record_words(job.classes)
                              : nullptr;
  // Scores end with a barrier: nobody needs the counts or the state any more.
  for (int64_t i = threadIdx.x; i < score_counts(job.classes);
       i += kBlockThreads) {
    if (running) record[kRecordCounts + i] = job.counts[i];
    job.counts[i] = 0;
  }
  if (threadIdx.x < kPairCounts) {
    if (running) record[kRecordPairs + threadIdx.x] = job.pairs[threadIdx.x];
    job.pairs[threadIdx.x] = 0;
  }
  if (threadIdx.x != 0 || !running) return;
  record[kRecordEpoch] = now.epoch;
  record[kRecordLoss] = __double_as_longlong(loss);
  record[kRecordLr] = __double_as_longlong(now.lr);
  compare(job, now, score);
}

template <typename Word>
__device__ __forceinline__ void copy_words(const void* from, void* to,
                                           int64_t begin, int64_t end) {
  for (int64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) {
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    copy_when_kernel(const int64_t* flag,
                     const __grid_constant__ CopyTable table) {
  if (*flag == 0) return;
  const int block = static_cast<int>(blockIdx.x);
  const CopyTensor& tensor = table.tensor[tensor_of(table, block)];
  const int64_t begin = (block - tensor.first_block) * kCopyRun;
  const int64_t end =
      begin + kCopyRun < tensor.size ? begin + kCopyRun : tensor.size;
  const bool packed = (reinterpret_cast<uintptr_t>(tensor.from) |
                       reinterpret_cast<uintptr_t>(tensor.to)) %
                          sizeof(uint4) ==
                      0;
  if (packed) copy_words<uint4>(tensor.from, tensor.to, begin / 16, end / 16);
  const int64_t rest = packed ? end / 16 * 16 : begin;
  copy_words<uint32_t>(tensor.from, tensor.to, rest / 4, end / 4);
}

}  // namespace

cudaError_t launch_begin_epoch(EpochState* state, const double* lr_of_epoch,
                               int64_t epochs, cudaStream_t stream) {
  begin_epoch_kernel<<<1, 1, 0, stream>>>(state, lr_of_epoch, epochs);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_check_loss(EpochState* state, const T* loss,
                              cudaStream_t stream) {
  check_loss_kernel<<<1, 1, 0, stream>>>(state, loss);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_end_epoch(const EndEpoch<T>& job, cudaStream_t stream) {
  end_epoch_kernel<<<1, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

cudaError_t launch_copy_when(const int64_t* flag, CopyTable table,
                             cudaStream_t stream) {
  const int64_t blocks = number_blocks(table, kCopyRun);
  if (blocks == 0) return cudaSuccess;
  copy_when_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      flag, table);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(T)                                             \
  template cudaError_t launch_check_loss(EpochState*, const T*, cudaStream_t); \
  template cudaError_t launch_end_epoch(const EndEpoch<T>&, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::cuda
