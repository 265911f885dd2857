// Work split: a thread owns one word of one row, neighbours of a row by
// neighbouring threads.
// Memory: rows are read and written once, in words of up to 16 bytes.
// Determinism: words are independent.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/select_rows.h"

namespace ordered_gnn::cuda {
namespace {

template <typename Word, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    select_rows_kernel(const SelectRows<Index> job, int words) {
  const int64_t place =
      static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (place >= job.count * words) return;
  const int64_t i = place / words;
  const int64_t from = job.index[i];
  Word word{};
  if (from >= 0) {
    word =
        static_cast<const Word*>(job.rows)[from * words + (place - i * words)];
  }
  static_cast<Word*>(job.out)[place] = word;
}

template <typename Word, typename Index>
cudaError_t launch(const SelectRows<Index>& job, cudaStream_t stream) {
  const auto words = static_cast<int>(job.row_bytes / sizeof(Word));
  select_rows_kernel<Word>
      <<<static_cast<unsigned>(divided_up(job.count * words, kBlockThreads)),
         kBlockThreads, 0, stream>>>(job, words);
  return cudaGetLastError();
}

template <typename Word, typename Index>
bool fits(const SelectRows<Index>& job) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Word));
  return job.row_bytes % kBytes == 0 &&
         reinterpret_cast<uintptr_t>(job.rows) % kBytes == 0 &&
         reinterpret_cast<uintptr_t>(job.out) % kBytes == 0;
}

}  // namespace

template <typename Index>
cudaError_t launch_select_rows(const SelectRows<Index>& job,
                               cudaStream_t stream) {
  if (job.count == 0 || job.row_bytes == 0) return cudaSuccess;
  if (fits<uint4>(job)) return launch<uint4>(job, stream);
  if (fits<uint2>(job)) return launch<uint2>(job, stream);
  if (fits<uint32_t>(job)) return launch<uint32_t>(job, stream);
  return launch<uint16_t>(job, stream);
}

template cudaError_t launch_select_rows(const SelectRows<int32_t>&,
                                        cudaStream_t);
template cudaError_t launch_select_rows(const SelectRows<int64_t>&,
                                        cudaStream_t);

}  // namespace ordered_gnn::cuda
