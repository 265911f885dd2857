// Work split: first a block per share of the rows and span of columns, a warp
// per row; then 32 threads per column over the partial sums.
// Memory: every row is read once, 16 bytes per lane; the partial sums, a few
// hundred rows, stay in the L2 cache between the two kernels.
// Determinism: shares follow from the number of rows; sums run in row order
// within a warp, then in the order of warps, then in that of the second kernel.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/column_sums.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int kTile = 32;

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
__global__ void __launch_bounds__(kTile* kTile)
    sum_partials_kernel(const T* partial, int64_t blocks, int64_t columns,
                        const SumTargets<T> targets) {
  __shared__ T parts[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x),
            y = static_cast<int>(threadIdx.y);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kTile + x;
  T sum = T(0);
  if (column < columns) {
    for (int64_t b = y; b < blocks; b += kTile) {
      sum += partial[b * columns + column];
    }
  }
  parts[y][x] = sum;
  __syncthreads();
  if (y != 0 || column >= columns) return;
  T total = T(0);
  for (int i = 0; i < kTile; ++i) total += parts[i][x];
  T* out = targets.out[0];
  int64_t begin = 0;
#pragma unroll
  for (int t = 1; t < targets.kMost; ++t) {
    if (t < targets.count && column >= targets.end[t - 1]) {
      out = targets.out[t];
      begin = targets.end[t - 1];
    }
  }
  out[column - begin] = total;
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
cudaError_t launch_sum_partials(const T* partial, int64_t blocks,
                                const SumTargets<T>& targets,
                                cudaStream_t stream) {
  const int64_t columns =
      targets.count == 0 ? 0 : targets.end[targets.count - 1];
  if (columns == 0) return cudaSuccess;
  const auto grid = static_cast<unsigned>(divided_up(columns, kTile));
  sum_partials_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(
      partial, blocks, columns, targets);
  return cudaGetLastError();
}

template cudaError_t launch_column_sums(const float*, int64_t, int, float*,
                                        cudaStream_t);
template cudaError_t launch_column_sums(const double*, int64_t, int, double*,
                                        cudaStream_t);
template cudaError_t launch_column_sums(const __nv_bfloat16*, int64_t, int,
                                        float*, cudaStream_t);
template cudaError_t launch_sum_partials(const float*, int64_t,
                                         const SumTargets<float>&,
                                         cudaStream_t);
template cudaError_t launch_sum_partials(const double*, int64_t,
                                         const SumTargets<double>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
