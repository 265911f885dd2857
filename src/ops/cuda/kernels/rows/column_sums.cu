// Work split: first a block per share of the rows and span of columns, a warp
// per row; then 32 threads per column over the partial sums.
// Memory: every row is read once, 16 bytes per lane; the partial sums, a few
// hundred rows, stay in the L2 cache between the two kernels.
// Determinism: shares follow from the number of rows; sums run in row order
// within a warp, then in the order of warps, then in that of the second kernel.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/column_sums.h"
#include "ops/cuda/kernels/rows/partial_sums.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    column_sums_kernel(const S* x, int64_t rows, int dim, Compute<S>* partial) {
  using T = Compute<S>;
  __shared__ T parts[kBlockWarps][kSpan];
  const int base = static_cast<int>(blockIdx.y) * kSpan;
  T sum[kPerLane] = {};
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
#pragma unroll 4  // loads of four rows at a time
  for (int64_t v = static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
       v < rows; v += stride) {
    T values[kPerLane];
    load_tile<V>(x + v * dim, base, dim, values);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) sum[j] += values[j];
  }
  store_column_sums<V>(sum, WarpParts<T>{parts[warp_id()], parts[0], kSpan},
                       base, dim,
                       partial + static_cast<int64_t>(blockIdx.x) * dim);
}

template <typename T>
__global__ void __launch_bounds__(kPartialTile* kPartialTile)
    sum_partials_kernel(const PartialSums<T> job) {
  __shared__ PartialTile<T> parts;
  sum_partial_tile<kPartialTile>(
      job, static_cast<int64_t>(blockIdx.x) * kPartialTile, parts);
}

}  // namespace

int64_t column_sum_blocks(int64_t rows) {
  return sum_blocks(rows, kBlockWarps);
}

template <typename S>
cudaError_t launch_column_sums(const S* x, int64_t rows, int dim,
                               Compute<S>* partial, cudaStream_t stream) {
  if (rows == 0 || dim == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(column_sum_blocks(rows)),
                  static_cast<unsigned>(divided_up(dim, kSpan)));
  const bool wide = dim % kVector<S> == 0 && all_aligned(x);
  const auto kernel =
      wide ? column_sums_kernel<kVector<S>, S> : column_sums_kernel<1, S>;
  kernel<<<grid, kBlockThreads, 0, stream>>>(x, rows, dim, partial);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_sum_partials(const PartialSums<T>& job,
                                cudaStream_t stream) {
  if (job.columns == 0) return cudaSuccess;
  const auto grid =
      static_cast<unsigned>(divided_up(job.columns, kPartialTile));
  sum_partials_kernel<<<grid, dim3(kPartialTile, kPartialTile), 0, stream>>>(
      job);
  return cudaGetLastError();
}

template cudaError_t launch_column_sums(const float*, int64_t, int, float*,
                                        cudaStream_t);
template cudaError_t launch_column_sums(const double*, int64_t, int, double*,
                                        cudaStream_t);
template cudaError_t launch_column_sums(const __nv_bfloat16*, int64_t, int,
                                        float*, cudaStream_t);
template cudaError_t launch_sum_partials(const PartialSums<float>&,
                                         cudaStream_t);
template cudaError_t launch_sum_partials(const PartialSums<double>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
