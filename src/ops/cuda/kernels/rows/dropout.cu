// Work split: a thread owns the eight elements of one Philox block.
// Memory: one read and one write per element, 16 bytes at a time; the mask is
// never stored.
// Determinism: the mask is a function of the element's index alone.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/dropout.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int64_t kGroup = 8;

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    dropout_kernel(DropoutMask mask, const S* x, S* out, int64_t count) {
  using T = Compute<S>;
  const int64_t first =
      (static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * kGroup;
  if (first >= count) return;
  const int size =
      static_cast<int>(count - first < kGroup ? count - first : kGroup);
  T values[kGroup];
  if (V > 1 && size == kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; j += V) load_pack<V>(x + first + j, values + j);
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      values[j] = j < size ? to_compute(x[first + j]) : T(0);
    }
  }
  drop_pack<kGroup>(mask, counter_high_of(mask), static_cast<uint64_t>(first),
                    values);
  if (V > 1 && size == kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; j += V) {
      store_pack<V>(out + first + j, values + j);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      if (j < size) out[first + j] = to_storage<S>(values[j]);
    }
  }
}

}  // namespace

template <typename S>
cudaError_t launch_dropout(const DropoutMask& mask, const S* x, S* out,
                           int64_t count, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int64_t blocks = divided_up(count, kBlockThreads * kGroup);
  const auto kernel = all_aligned(x, out) ? dropout_kernel<kVector<S>, S>
                                          : dropout_kernel<1, S>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      mask, x, out, count);
  return cudaGetLastError();
}

template cudaError_t launch_dropout(const DropoutMask&, const float*, float*,
                                    int64_t, cudaStream_t);
template cudaError_t launch_dropout(const DropoutMask&, const double*, double*,
                                    int64_t, cudaStream_t);

template cudaError_t launch_dropout(const DropoutMask&, const __nv_bfloat16*,
                                    __nv_bfloat16*, int64_t, cudaStream_t);

}  // namespace ordered_gnn::cuda
