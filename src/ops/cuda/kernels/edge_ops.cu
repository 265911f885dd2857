// The ops of attention and maximum aggregation.
// Work split: a warp owns a row of the list; its lanes share entries (softmax)
// or columns (dot products, maxima).
// Memory: scores are read again from the L1 cache; gathered rows are read once
// per 32 columns in runs of 32 elements.
// Determinism: no two warps write one element; sums run in an order fixed by
// the list.
#include <cmath>

#include "ops/cuda/kernels/edge_ops.h"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/warp.cuh"

namespace ordered_gnn::cuda {
namespace {

__device__ __forceinline__ int64_t own_row() {
  return static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
}

unsigned row_blocks(int64_t rows) {
  return static_cast<unsigned>(divided_up(rows, kBlockWarps));
}

template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    edge_dot_kernel(const EdgeDot<T, Index> job) {
  const int64_t v = own_row();
  if (v >= job.rows) return;
  const T* const grad = job.grad + v * job.dim;
  for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
    const T* const h = job.h + static_cast<int64_t>(job.col[e]) * job.dim;
    T sum = T(0);
    for (int d = lane_id(); d < job.dim; d += kWarp) sum += grad[d] * h[d];
    sum = warp_sum(sum);
    if (lane_id() == 0) job.dot[e] = sum;
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    edge_softmax_kernel(const int64_t* rowptr, int64_t rows, const T* score,
                        T* out) {
  const int64_t v = own_row();
  if (v >= rows) return;
  const int64_t begin = rowptr[v] + lane_id(), end = rowptr[v + 1];
  T highest = -static_cast<T>(INFINITY);
  for (int64_t e = begin; e < end; e += kWarp) {
    highest = score[e] > highest ? score[e] : highest;
  }
  highest = warp_max(highest);
  T total = T(0);
  for (int64_t e = begin; e < end; e += kWarp) {
    out[e] = exp_of(score[e] - highest);
    total += out[e];
  }
  total = warp_sum(total);
  for (int64_t e = begin; e < end; e += kWarp) out[e] /= total;
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    edge_softmax_backward_kernel(const int64_t* rowptr, int64_t rows,
                                 const T* out, const T* grad, T* grad_score) {
  const int64_t v = own_row();
  if (v >= rows) return;
  const int64_t begin = rowptr[v] + lane_id(), end = rowptr[v + 1];
  T mean = T(0);
  for (int64_t e = begin; e < end; e += kWarp) mean += out[e] * grad[e];
  mean = warp_sum(mean);
  for (int64_t e = begin; e < end; e += kWarp) {
    grad_score[e] = out[e] * (grad[e] - mean);
  }
}

template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    row_max_kernel(const RowMax<T, Index> job) {
  const int64_t v = own_row();
  if (v >= job.rows) return;
  for (int d = lane_id(); d < job.dim; d += kWarp) {
    T best = T(0);
    Index winner = Index(-1);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const Index u = job.col[e];
      const T value = job.h[static_cast<int64_t>(u) * job.dim + d];
      // A NaN wins and stays, so that diverged values do not go unseen.
      if (winner < 0 || value > best || isnan(value)) {
        best = value;
        winner = u;
      }
    }
    job.out[v * job.dim + d] = best;
    job.winner[v * job.dim + d] = winner;
  }
}

template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    row_max_backward_kernel(const RowMaxBackward<T, Index> job) {
  const int64_t u = own_row();
  if (u >= job.rows) return;
  for (int d = lane_id(); d < job.dim; d += kWarp) {
    T sum = T(0);
    for (int64_t e = job.t_rowptr[u]; e < job.t_rowptr[u + 1]; ++e) {
      const int64_t at = static_cast<int64_t>(job.t_col[e]) * job.dim + d;
      if (static_cast<int64_t>(job.winner[at]) == u) sum += job.grad[at];
    }
    job.out[u * job.dim + d] = sum;
  }
}

}  // namespace

template <typename T, typename Index>
cudaError_t launch_edge_dot(const EdgeDot<T, Index>& job, cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  edge_dot_kernel<<<row_blocks(job.rows), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_edge_softmax(const int64_t* rowptr, int64_t rows,
                                const T* score, T* out, cudaStream_t stream) {
  if (rows == 0) return cudaSuccess;
  edge_softmax_kernel<<<row_blocks(rows), kBlockThreads, 0, stream>>>(
      rowptr, rows, score, out);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_edge_softmax_backward(const int64_t* rowptr, int64_t rows,
                                         const T* out, const T* grad,
                                         T* grad_score, cudaStream_t stream) {
  if (rows == 0) return cudaSuccess;
  edge_softmax_backward_kernel<<<row_blocks(rows), kBlockThreads, 0, stream>>>(
      rowptr, rows, out, grad, grad_score);
  return cudaGetLastError();
}

template <typename T, typename Index>
cudaError_t launch_row_max(const RowMax<T, Index>& job, cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  row_max_kernel<<<row_blocks(job.rows), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template <typename T, typename Index>
cudaError_t launch_row_max_backward(const RowMaxBackward<T, Index>& job,
                                    cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  row_max_backward_kernel<<<row_blocks(job.rows), kBlockThreads, 0, stream>>>(
      job);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE_LIST(T, Index)                                \
  template cudaError_t launch_edge_dot(const EdgeDot<T, Index>&,              \
                                       cudaStream_t);                         \
  template cudaError_t launch_row_max(const RowMax<T, Index>&, cudaStream_t); \
  template cudaError_t launch_row_max_backward(                               \
      const RowMaxBackward<T, Index>&, cudaStream_t);
#define ORDERED_GNN_INSTANTIATE(T)                                            \
  ORDERED_GNN_INSTANTIATE_LIST(T, int32_t)                                    \
  ORDERED_GNN_INSTANTIATE_LIST(T, int64_t)                                    \
  template cudaError_t launch_edge_softmax(const int64_t*, int64_t, const T*, \
                                           T*, cudaStream_t);                 \
  template cudaError_t launch_edge_softmax_backward(                          \
      const int64_t*, int64_t, const T*, const T*, T*, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::cuda
