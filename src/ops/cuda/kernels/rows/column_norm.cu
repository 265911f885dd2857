// Work split: statistics by blocks of rows, a thread per column, then a warp
// per column over the blocks; the norms themselves by a thread per pack.
// Memory: neighbouring threads read neighbouring columns; every pass reads its
// rows once, and writes them once where it writes.
// Determinism: blocks follow from the number of rows and are added in a fixed
// order.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/column_norm.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int64_t kLeastRows = 16;

int64_t rows_per_block(int64_t rows) {
  return std::max(kLeastRows, divided_up(rows, kSumBlocks));
}

// Mean and squares around it of the rows of a block. The block's first row is
// taken off all of them: squares then lose nothing where a mean is large.
template <typename S>
__global__ void __launch_bounds__(kBlockThreads)
    moments_kernel(const ColumnMoments<S> job, int64_t block_rows) {
  using T = Compute<S>;
  const int64_t begin = blockIdx.x * block_rows;
  const int64_t end =
      begin + block_rows < job.rows ? begin + block_rows : job.rows;
  T* const out = job.partial + static_cast<int64_t>(blockIdx.x) * 2 * job.dim;
  for (int d = static_cast<int>(threadIdx.x); d < job.dim; d += kBlockThreads) {
    const T first = to_compute(job.x[begin * job.dim + d]);
    T sum = T(0), squares = T(0);
#pragma unroll 8
    for (int64_t v = begin; v < end; ++v) {
      const T x = to_compute(job.x[v * job.dim + d]) - first;
      sum += x;
      squares += x * x;
    }
    const T mean = sum / static_cast<T>(end - begin);
    out[d] = first + mean;
    out[job.dim + d] = squares - sum * mean;
  }
}

template <typename S>
__global__ void __launch_bounds__(kBlockThreads)
    finish_moments_kernel(const ColumnMoments<S> job, int64_t block_rows,
                          int64_t blocks) {
  using T = Compute<S>;
  const int d = static_cast<int>(blockIdx.x) * warps_per_block() + warp_id();
  if (d >= job.dim) return;  // whole warps leave, and there are no barriers
  const auto rows_of = [&](int64_t b) {
    const int64_t left = job.rows - b * block_rows;
    return static_cast<double>(left < block_rows ? left : block_rows);
  };
  const auto rows = static_cast<double>(job.rows);
  double sum = 0;
  for (int64_t b = lane_id(); b < blocks; b += kWarp) {
    sum += rows_of(b) * job.partial[b * 2 * job.dim + d];
  }
  const double mean = warp_sum(sum) / rows;
  double squares = 0;
  for (int64_t b = lane_id(); b < blocks; b += kWarp) {
    const double off = job.partial[b * 2 * job.dim + d] - mean;
    squares += job.partial[(b * 2 + 1) * job.dim + d] + rows_of(b) * off * off;
  }
  squares = warp_sum(squares);
  if (lane_id() != 0) return;
  job.mean[d] = static_cast<T>(mean);
  job.rstd[d] = static_cast<T>(rsqrt(squares / rows + job.eps));
  if (job.running_mean == nullptr) return;
  const double share = job.momentum;
  job.running_mean[d] =
      static_cast<T>((1 - share) * job.running_mean[d] + share * mean);
  job.running_var[d] = static_cast<T>((1 - share) * job.running_var[d] +
                                      share * squares / (rows - 1));
}

// Calls f(element, column) for the pack of this thread.
template <int V, typename Job, typename F>
__device__ __forceinline__ void for_pack(const Job& job, const F& f) {
  const int64_t element =
      (static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * V;
  if (element >= job.rows * job.dim) return;
  f(element, static_cast<int>(element % job.dim));
}

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    column_norm_kernel(const ColumnNorm<S> job) {
  using T = Compute<S>;
  for_pack<V>(job, [&](int64_t element, int column) {
    T x[V], mean[V], rstd[V], weight[V], bias[V];
    load_pack<V>(job.x + element, x);
    load_pack<V>(job.mean + column, mean);
    load_pack<V>(job.rstd + column, rstd);
    load_pack<V>(job.weight + column, weight);
    load_pack<V>(job.bias + column, bias);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      x[k] = (x[k] - mean[k]) * rstd[k] * weight[k] + bias[k];
    }
    if (job.mask.active) {
      drop_pack<V>(job.mask, counter_high_of(job.mask),
                   static_cast<uint64_t>(element), x);
    }
    store_pack<V>(job.x + element, x);
  });
}

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    column_norm_undo_kernel(const ColumnNormUndo<S> job) {
  using T = Compute<S>;
  const T share = T(1) / static_cast<T>(job.rows);
  for_pack<V>(job, [&](int64_t element, int column) {
    T grad[V], x[V], mean[V], rstd[V], weight[V], sum[V], product[V];
    load_pack<V>(job.grad + element, grad);
    load_pack<V>(job.x + element, x);
    load_pack<V>(job.mean + column, mean);
    load_pack<V>(job.rstd + column, rstd);
    load_pack<V>(job.weight + column, weight);
    load_pack<V>(job.sum_grad + column, sum);
    load_pack<V>(job.sum_product + column, product);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T normalised = (x[k] - mean[k]) * rstd[k];
      grad[k] = rstd[k] * weight[k] *
                (grad[k] - sum[k] * share - normalised * (product[k] * share));
    }
    store_pack<V>(job.grad + element, grad);
  });
}

template <typename S>
unsigned blocks_of_packs(int64_t elements, int64_t pack) {
  return static_cast<unsigned>(divided_up(elements, pack * kBlockThreads));
}

}  // namespace

int64_t column_moment_blocks(int64_t rows) {
  return divided_up(rows, rows_per_block(rows));
}

template <typename S>
cudaError_t launch_column_moments(const ColumnMoments<S>& job,
                                  cudaStream_t stream) {
  if (job.rows == 0 || job.dim == 0) return cudaSuccess;
  const int64_t block_rows = rows_per_block(job.rows);
  const int64_t blocks = column_moment_blocks(job.rows);
  moments_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      job, block_rows);
  const auto columns =
      static_cast<unsigned>(divided_up(job.dim, int64_t{kBlockWarps}));
  finish_moments_kernel<<<columns, kBlockThreads, 0, stream>>>(job, block_rows,
                                                               blocks);
  return cudaGetLastError();
}

template <typename S>
cudaError_t launch_column_norm(const ColumnNorm<S>& job, cudaStream_t stream) {
  const int64_t elements = job.rows * job.dim;
  if (elements == 0) return cudaSuccess;
  constexpr int V = kVector<S> < 4 ? kVector<S> : 4;
  if (job.dim % V == 0 &&
      all_aligned(job.x, job.mean, job.rstd, job.weight, job.bias)) {
    column_norm_kernel<V, S>
        <<<blocks_of_packs<S>(elements, V), kBlockThreads, 0, stream>>>(job);
  } else {
    column_norm_kernel<1, S>
        <<<blocks_of_packs<S>(elements, 1), kBlockThreads, 0, stream>>>(job);
  }
  return cudaGetLastError();
}

template <typename S>
cudaError_t launch_column_norm_undo(const ColumnNormUndo<S>& job,
                                    cudaStream_t stream) {
  const int64_t elements = job.rows * job.dim;
  if (elements == 0) return cudaSuccess;
  constexpr int V = kVector<S> < 4 ? kVector<S> : 4;
  if (job.dim % V == 0 &&
      all_aligned(job.grad, job.x, job.mean, job.rstd, job.weight, job.sum_grad,
                  job.sum_product)) {
    column_norm_undo_kernel<V, S>
        <<<blocks_of_packs<S>(elements, V), kBlockThreads, 0, stream>>>(job);
  } else {
    column_norm_undo_kernel<1, S>
        <<<blocks_of_packs<S>(elements, 1), kBlockThreads, 0, stream>>>(job);
  }
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                             \
  template cudaError_t launch_column_moments(const ColumnMoments<S>&,          \
                                             cudaStream_t);                    \
  template cudaError_t launch_column_norm(const ColumnNorm<S>&, cudaStream_t); \
  template cudaError_t launch_column_norm_undo(const ColumnNormUndo<S>&,       \
                                               cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
