// Work split: the caller gives whole rows, each owned by one task.
// Memory: a tile of columns is summed in registers over all neighbours, so the
// output is written once and only the gathered rows are read.
// Determinism: neighbours are added in list order, whatever the threads.
#include "ops/cpu/kernels/row_sum_kernel.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

template <typename T, typename Index>
inline T weight_of(const RowSum<T, Index>& job, int64_t e) {
  T weight = T(1);
  if (job.edge_weight != nullptr) {
    weight = job.edge_weight[job.edge_of != nullptr ? job.edge_of[e] : e];
  }
  if (job.col_scale != nullptr) {
    weight *= static_cast<T>(job.col_scale[job.col[e]]);
  }
  return weight;
}

template <int kWidth, bool kWeighted, typename T, typename Index>
inline void sum_tile(const RowSum<T, Index>& job, int64_t v, int64_t offset) {
  T sum[kWidth] = {};
  for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
    const T* const source =
        job.h + static_cast<int64_t>(job.col[e]) * job.dim + offset;
    if constexpr (kWeighted) {
      const T weight = weight_of(job, e);
      for (int d = 0; d < kWidth; ++d) sum[d] += weight * source[d];
    } else {
      for (int d = 0; d < kWidth; ++d) sum[d] += source[d];
    }
  }
  const T scale =
      job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
  T* const out = job.out + v * job.dim + offset;
  if (job.bias != nullptr) {
    const T* const bias = job.bias + offset;
    for (int d = 0; d < kWidth; ++d) out[d] = bias[d] + scale * sum[d];
  } else {
    for (int d = 0; d < kWidth; ++d) out[d] = scale * sum[d];
  }
}

template <bool kWeighted, typename T, typename Index>
void sum_rows(const RowSum<T, Index>& job, int64_t begin, int64_t end) {
  for (int64_t v = begin; v < end; ++v) {
    int64_t d = 0;
    for (; d + 64 <= job.dim; d += 64) sum_tile<64, kWeighted>(job, v, d);
    for (; d + 16 <= job.dim; d += 16) sum_tile<16, kWeighted>(job, v, d);
    for (; d < job.dim; ++d) sum_tile<1, kWeighted>(job, v, d);
  }
}

}  // namespace

template <typename T, typename Index>
void row_sum(const RowSum<T, Index>& job, int64_t begin, int64_t end) {
  if (job.edge_weight != nullptr || job.col_scale != nullptr) {
    sum_rows<true>(job, begin, end);
  } else {
    sum_rows<false>(job, begin, end);
  }
}

template <typename T, typename Index>
void edge_dot(const EdgeDot<T, Index>& job, int64_t begin, int64_t end) {
  constexpr int kLanes = 16;
  for (int64_t v = begin; v < end; ++v) {
    const T* const grad = job.grad + v * job.dim;
    const T scale =
        job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T* const h = job.h + static_cast<int64_t>(job.col[e]) * job.dim;
      T lanes[kLanes] = {};
      int64_t d = 0;
      for (; d + kLanes <= job.dim; d += kLanes) {
        for (int i = 0; i < kLanes; ++i) lanes[i] += grad[d + i] * h[d + i];
      }
      T total = T(0);
      for (; d < job.dim; ++d) total += grad[d] * h[d];
      for (const T lane : lanes) total += lane;
      job.dot[e] = scale * total;
    }
  }
}

#define ORDERED_GNN_INSTANTIATE(T, Index)                           \
  template void row_sum(const RowSum<T, Index>&, int64_t, int64_t); \
  template void edge_dot(const EdgeDot<T, Index>&, int64_t, int64_t);
ORDERED_GNN_INSTANTIATE(float, int32_t)
ORDERED_GNN_INSTANTIATE(float, int64_t)
ORDERED_GNN_INSTANTIATE(double, int32_t)
ORDERED_GNN_INSTANTIATE(double, int64_t)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
