// Work split: a warp owns a row; a block owns a few rows, and all its warps
// share a hub among them, each taking one run of its entries. Lists whose rows
// are long on average (features and their nodes) get a block per row.
// Memory: eight columns per lane are summed in registers over all entries, so
// the output is written once and only the gathered rows are read, four of them
// in flight; list entries are read 32 at a time and handed on by shuffles.
// Determinism: entries are added in list order; the runs of a hub, whose bounds
// follow from its degree, are added in order. No atomics.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/row_sum.h"
#include "ops/cuda/kernels/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

// A warp takes about as long for this many entries as a block with its two
// barriers and the sum over its warps.
constexpr int64_t kHubDegree = 256;
// Average degree from which a block per row is better than a warp per row.
constexpr int64_t kBlockRowDegree = 128;
constexpr int kInFlight = 4;

template <typename T, typename Index>
__device__ __forceinline__ T weight_of(const RowSum<T, Index>& job,
                                       uint64_t counter_high, int64_t v,
                                       int64_t e, int64_t source) {
  T weight[1] = {T(1)};
  if (job.edge_weight != nullptr) {
    weight[0] = job.edge_weight[job.edge_of != nullptr ? job.edge_of[e] : e];
  } else if (job.entry != nullptr) {
    weight[0] = static_cast<T>(job.entry[e]);
    if (job.mask.active) {
      const int64_t element = v * job.row_stride + source * job.col_stride;
      drop_pack<1>(job.mask, counter_high, static_cast<uint64_t>(element),
                   weight);
    }
  }
  if (job.col_scale != nullptr) {
    weight[0] *= static_cast<T>(job.col_scale[source]);
  }
  return weight[0];
}

// Adds kCount gathered rows to the sums; their loads are all started before the
// first is used.
template <int kCount, int V, bool kWeighted, typename T>
__device__ __forceinline__ void add_rows(const T* h, int base, int dim,
                                         int64_t source, T weight, int first,
                                         T (&sum)[kPerLane]) {
  T x[kCount][kPerLane];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int64_t from = __shfl_sync(kAllLanes, source, first + i);
    load_tile<V>(h + from * dim, base, dim, x[i]);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const T factor =
        kWeighted ? __shfl_sync(kAllLanes, weight, first + i) : T(1);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      sum[j] += kWeighted ? factor * x[i][j] : x[i][j];
    }
  }
}

// The sums of one span of columns over the entries [begin, end) of row v.
template <int V, bool kWeighted, typename T, typename Index>
__device__ __forceinline__ void sum_entries(const RowSum<T, Index>& job,
                                            int64_t v, int64_t begin,
                                            int64_t end, int base,
                                            T (&sum)[kPerLane]) {
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) sum[j] = T(0);
  const uint64_t counter_high =
      kWeighted && job.mask.active ? counter_high_of(job.mask) : 0;
  for (int64_t e = begin; e < end; e += kWarp) {
    const int count = static_cast<int>(end - e < kWarp ? end - e : kWarp);
    // One entry per lane; the lanes without one are never asked.
    const bool has_entry = lane_id() < count;
    const int64_t source =
        has_entry ? static_cast<int64_t>(job.col[e + lane_id()]) : 0;
    T weight = T(0);
    if (kWeighted && has_entry) {
      weight = weight_of(job, counter_high, v, e + lane_id(), source);
    }
    int i = 0;
    for (; i + kInFlight <= count; i += kInFlight) {
      add_rows<kInFlight, V, kWeighted>(job.h, base, job.dim, source, weight, i,
                                        sum);
    }
    for (; i < count; ++i) {
      add_rows<1, V, kWeighted>(job.h, base, job.dim, source, weight, i, sum);
    }
  }
}

template <int V, typename T, typename Index>
__device__ __forceinline__ void store_row(const RowSum<T, Index>& job,
                                          int64_t v, int base,
                                          T (&sum)[kPerLane]) {
  const T scale =
      job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
  T* const out = job.out + v * job.dim;
  for_packs<V>(base, job.dim, [&](int j, int column) {
    T shift[V] = {};
    T before[V] = {};
    if (job.bias != nullptr) load_pack<V>(job.bias + column, shift);
    if (job.accumulate) load_pack<V>(out + column, before);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      sum[j + k] = scale * sum[j + k] + shift[k] + before[k];
    }
    store_pack<V>(out + column, sum + j);
  });
}

// A row by all warps of the block; every thread must call it.
template <int V, bool kWeighted, typename T, typename Index>
__device__ __forceinline__ void sum_hub(const RowSum<T, Index>& job, int64_t v,
                                        int64_t begin, int64_t end,
                                        T (*parts)[kSpan]) {
  const int64_t run = (end - begin + kBlockWarps - 1) / kBlockWarps;
  const int64_t first = begin + run * warp_id();
  const int64_t last = first + run < end ? first + run : end;
  for (int base = 0; base < job.dim; base += kSpan) {
    T sum[kPerLane];
    sum_entries<V, kWeighted>(job, v, first, last, base, sum);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      parts[warp_id()][j * kWarp + lane_id()] = sum[j];
    }
    __syncthreads();
    if (warp_id() == 0) {
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        T total = T(0);
        for (int w = 0; w < kBlockWarps; ++w) {
          total += parts[w][j * kWarp + lane_id()];
        }
        sum[j] = total;
      }
      store_row<V>(job, v, base, sum);
    }
    __syncthreads();  // parts are written again
  }
}

template <int V, bool kWeighted, typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads)
    row_sum_kernel(const RowSum<T, Index> job, int rows_per_block,
                   int64_t hub_degree) {
  __shared__ T parts[kBlockWarps][kSpan];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * rows_per_block;
  const int64_t own = first + warp_id();
  if (warp_id() < rows_per_block && own < job.rows) {
    const int64_t begin = job.rowptr[own], end = job.rowptr[own + 1];
    if (end - begin <= hub_degree) {
      for (int base = 0; base < job.dim; base += kSpan) {
        T sum[kPerLane];
        sum_entries<V, kWeighted>(job, own, begin, end, base, sum);
        store_row<V>(job, own, base, sum);
      }
    }
  }
  // All threads see the same degrees, so they meet at the same barriers.
  for (int r = 0; r < rows_per_block && first + r < job.rows; ++r) {
    const int64_t begin = job.rowptr[first + r];
    const int64_t end = job.rowptr[first + r + 1];
    if (end - begin > hub_degree) {
      sum_hub<V, kWeighted>(job, first + r, begin, end, parts);
    }
  }
}

template <int V, typename T, typename Index>
cudaError_t launch(const RowSum<T, Index>& job, cudaStream_t stream) {
  const bool block_rows = job.entries > kBlockRowDegree * job.rows;
  const int rows_per_block = block_rows ? 1 : kBlockWarps;
  // With a block per row the other warps have nothing else to do.
  const int64_t hub_degree = block_rows ? kBlockRowDegree / 4 : kHubDegree;
  const int64_t blocks = divided_up(job.rows, rows_per_block);
  const bool weighted = job.edge_weight != nullptr || job.entry != nullptr ||
                        job.col_scale != nullptr;
  const auto kernel = weighted ? row_sum_kernel<V, true, T, Index>
                               : row_sum_kernel<V, false, T, Index>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      job, rows_per_block, hub_degree);
  return cudaGetLastError();
}

}  // namespace

template <typename T, typename Index>
cudaError_t launch_row_sum(const RowSum<T, Index>& job, cudaStream_t stream) {
  if (job.rows == 0 || job.dim == 0) return cudaSuccess;
  const bool wide =
      job.dim % kVector<T> == 0 && all_aligned(job.h, job.out, job.bias);
  return wide ? launch<kVector<T>>(job, stream) : launch<1>(job, stream);
}

#define ORDERED_GNN_INSTANTIATE(T, Index)                          \
  template cudaError_t launch_row_sum(const RowSum<T, Index>& job, \
                                      cudaStream_t stream);
ORDERED_GNN_INSTANTIATE(float, int32_t)
ORDERED_GNN_INSTANTIATE(float, int64_t)
ORDERED_GNN_INSTANTIATE(double, int32_t)
ORDERED_GNN_INSTANTIATE(double, int64_t)

}  // namespace ordered_gnn::cuda
