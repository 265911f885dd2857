// The ops of attention and maximum aggregation.
// Work split: a warp owns a row of the list; its lanes share entries (softmax)
// or columns (dot products, maxima).
// Memory: scores are read again from the L1 cache; gathered rows are read once
// per 32 columns in runs of 32 elements.
// Determinism: no two warps write one element; sums run in an order fixed by
// the list.
#include <cmath>

#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/edge_ops.h"
#include "ops/cuda/kernels/warp.cuh"

namespace ordered_gnn::cuda {
namespace {

__device__ __forceinline__ int64_t own_row() {
  return static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
}

unsigned row_blocks(int64_t rows) {
  return static_cast<unsigned>(divided_up(rows, kBlockWarps));
}

// Lanes that share one dot product: as many as it has columns, rounded up to a
// power of two.
int lanes_for(int columns) {
  int lanes = 1;
  while (lanes < kWarp && lanes < columns) lanes *= 2;
  return lanes;
}

// A product per entry and head; groups of lanes take them in turn.
template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    edge_dot_kernel(const EdgeDot<T, Index> job, int lanes) {
  const int64_t v = own_row();
  if (v >= job.rows) return;
  const int width = job.dim / job.heads;
  const T* const grad = job.grad + v * job.dim;
  const int64_t begin = job.rowptr[v];
  const int64_t products = (job.rowptr[v + 1] - begin) * job.heads;
  // Every lane runs as often as the others, for the sum is one of all.
  for (int64_t first = 0; first < products; first += kWarp / lanes) {
    const int64_t product = first + lane_id() / lanes;
    T sum = T(0);
    if (product < products) {
      const int64_t e = begin + product / job.heads;
      const int offset = static_cast<int>(product % job.heads) * width;
      const T* const h = job.h + static_cast<int64_t>(job.col[e]) * job.dim;
      for (int d = lane_id() % lanes; d < width; d += lanes) {
        sum += grad[offset + d] * h[offset + d];
      }
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(kAllLanes, sum, distance);
    }
    if (product < products && lane_id() % lanes == 0) {
      job.dot[begin * job.heads + product] = sum;
    }
  }
}

// Columns of a row that a warp sums at a time, some in every lane.
constexpr int kSumsPerLane = 4;

template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    head_sum_kernel(const HeadSum<T, Index> job) {
  const int64_t v = own_row();
  if (v >= job.rows) return;
  const int width = job.dim / job.heads;
  const int first =
      static_cast<int>(blockIdx.y) * kWarp * kSumsPerLane + lane_id();
  T sum[kSumsPerLane] = {};
  int head[kSumsPerLane];
#pragma unroll
  for (int j = 0; j < kSumsPerLane; ++j) head[j] = (first + j * kWarp) / width;
  for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
    const int64_t edge = job.edge_of != nullptr ? job.edge_of[e] : e;
    const T* const weight = job.weight + edge * job.heads;
    const T* const h = job.h + static_cast<int64_t>(job.col[e]) * job.dim;
#pragma unroll
    for (int j = 0; j < kSumsPerLane; ++j) {
      const int d = first + j * kWarp;
      if (d < job.dim) sum[j] += weight[head[j]] * h[d];
    }
  }
#pragma unroll
  for (int j = 0; j < kSumsPerLane; ++j) {
    const int d = first + j * kWarp;
    if (d < job.dim) job.out[v * job.dim + d] = sum[j];
  }
}

// A warp's column of scores: those of one row and head, `step` apart.
struct ScoreColumn {
  int64_t begin = 0, end = 0, step = 1;
};

__device__ __forceinline__ ScoreColumn own_column(const ScoreRows& list) {
  const int64_t own = own_row();
  const int64_t v = own / list.heads;
  if (v >= list.rows) return {};
  const int64_t head = own % list.heads;
  return {(list.rowptr[v] + lane_id()) * list.heads + head,
          list.rowptr[v + 1] * list.heads,
          static_cast<int64_t>(kWarp) * list.heads};
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    edge_softmax_kernel(const ScoreRows list, const T* score, T* out) {
  const ScoreColumn column = own_column(list);
  T highest = -static_cast<T>(INFINITY);
  for (int64_t e = column.begin; e < column.end; e += column.step) {
    highest = score[e] > highest ? score[e] : highest;
  }
  highest = warp_max(highest);
  T total = T(0);
  for (int64_t e = column.begin; e < column.end; e += column.step) {
    out[e] = exp_of(score[e] - highest);
    total += out[e];
  }
  total = warp_sum(total);
  for (int64_t e = column.begin; e < column.end; e += column.step) {
    out[e] /= total;
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    edge_softmax_backward_kernel(const ScoreRows list, const T* out,
                                 const T* grad, T* grad_score) {
  const ScoreColumn column = own_column(list);
  T mean = T(0);
  for (int64_t e = column.begin; e < column.end; e += column.step) {
    mean += out[e] * grad[e];
  }
  mean = warp_sum(mean);
  for (int64_t e = column.begin; e < column.end; e += column.step) {
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
  edge_dot_kernel<<<row_blocks(job.rows), kBlockThreads, 0, stream>>>(
      job, lanes_for(job.dim / job.heads));
  return cudaGetLastError();
}

template <typename T, typename Index>
cudaError_t launch_head_sum(const HeadSum<T, Index>& job, cudaStream_t stream) {
  if (job.rows == 0 || job.dim == 0) return cudaSuccess;
  const dim3 grid(row_blocks(job.rows),
                  static_cast<unsigned>(
                      divided_up(job.dim, int64_t{kWarp} * kSumsPerLane)));
  head_sum_kernel<<<grid, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_edge_softmax(const ScoreRows& list, const T* score, T* out,
                                cudaStream_t stream) {
  if (list.rows == 0 || list.heads == 0) return cudaSuccess;
  edge_softmax_kernel<<<row_blocks(list.rows * list.heads), kBlockThreads, 0,
                        stream>>>(list, score, out);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_edge_softmax_backward(const ScoreRows& list, const T* out,
                                         const T* grad, T* grad_score,
                                         cudaStream_t stream) {
  if (list.rows == 0 || list.heads == 0) return cudaSuccess;
  edge_softmax_backward_kernel<<<row_blocks(list.rows * list.heads),
                                 kBlockThreads, 0, stream>>>(list, out, grad,
                                                             grad_score);
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
  template cudaError_t launch_head_sum(const HeadSum<T, Index>&,              \
                                       cudaStream_t);                         \
  template cudaError_t launch_row_max(const RowMax<T, Index>&, cudaStream_t); \
  template cudaError_t launch_row_max_backward(                               \
      const RowMaxBackward<T, Index>&, cudaStream_t);
#define ORDERED_GNN_INSTANTIATE(T)                                         \
  ORDERED_GNN_INSTANTIATE_LIST(T, int32_t)                                 \
  ORDERED_GNN_INSTANTIATE_LIST(T, int64_t)                                 \
  template cudaError_t launch_edge_softmax(const ScoreRows&, const T*, T*, \
                                           cudaStream_t);                  \
  template cudaError_t launch_edge_softmax_backward(                       \
      const ScoreRows&, const T*, const T*, T*, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::cuda
