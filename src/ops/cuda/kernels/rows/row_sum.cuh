#pragma once
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/row_sum.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

// Device code of row_sum.cu, from one list entry to the sum of a row.
namespace ordered_gnn::cuda {

/// How a warp covers its slice of the columns: L lanes with P packs of V
/// columns each. Groups of L lanes take different entries, so that a load of
/// the warp is one of 512 bytes however narrow the slice is. A group has B
/// entries in flight: more would cost warps, whose registers are those of the
/// loads.
template <int L, int P, int V, int B = 4>
struct Cover {
  static constexpr int kBatch = B;
  static constexpr int kLanes = L;
  static constexpr int kPacks = P;
  static constexpr int kPack = V;
  static constexpr int kGroups = kWarp / L;
  static constexpr int kColumns = L * P * V;
  static constexpr int kSums = P * V;

  static __device__ __forceinline__ int group() { return lane_id() / L; }
  /// Where the lane's pack p starts in the slice.
  static __device__ __forceinline__ int offset(int p) {
    return (p * L + lane_id() % L) * V;
  }
  static __device__ __forceinline__ int column(int p) {
    return static_cast<int>(blockIdx.y) * kColumns + offset(p);
  }
};

/// What the weight of an entry is made of. Dropout and indirect values cost
/// registers, hence loads in flight, that the sums over a graph do without.
enum class Weights { ones, scales, values };

template <Weights kWeights, typename In, typename Out, typename Index>
__device__ __forceinline__ Compute<In> weight_of(
    const RowSum<In, Out, Index>& job, uint64_t counter_high, int64_t v,
    int64_t e, int64_t source) {
  using T = Compute<In>;
  if constexpr (kWeights == Weights::scales) {
    return static_cast<T>(job.col_scale[source]);
  }
  T weight = T(1);
  if (job.edge_weight != nullptr) {
    weight = job.edge_weight[job.edge_of != nullptr ? job.edge_of[e] : e];
  } else if (job.entry != nullptr) {
    weight = static_cast<T>(job.entry[e]);
  } else if (job.entry_half != nullptr) {
    weight = static_cast<T>(to_compute(job.entry_half[e]));
  }
  if (job.mask.active) {
    const int64_t row = job.row_of != nullptr ? job.row_of[v] : v;
    const int64_t column = job.col_of != nullptr ? job.col_of[source] : source;
    const int64_t element = row * job.row_stride + column * job.col_stride;
    drop_pack<1>(job.mask, counter_high, static_cast<uint64_t>(element),
                 &weight);
  }
  if (job.col_scale != nullptr) weight *= static_cast<T>(job.col_scale[source]);
  return weight;
}

/// Adds C::kBatch entries per group of lanes, from entry `first` of the `count`
/// that the lanes hold one of each. All loads are started before the first is
/// used; entries that are not there count as zeros instead of being a loop of
/// their own.
template <typename C, Weights kWeights, typename In, typename Out,
          typename Index>
__device__ __forceinline__ void add_entries(const RowSum<In, Out, Index>& job,
                                            Index source, Compute<In> weight,
                                            int first, int count,
                                            Compute<In> (&sum)[C::kSums]) {
  using T = Compute<In>;
  constexpr bool kWeighted = kWeights != Weights::ones;
  Raw<In, C::kPack> x[C::kBatch][C::kPacks];
#pragma unroll
  for (int i = 0; i < C::kBatch; ++i) {
    const int entry = first + i * C::kGroups + C::group();
    const int64_t from = __shfl_sync(kAllLanes, source, entry);
    const In* const row = job.h + from * job.h_pitch;
#pragma unroll
    for (int p = 0; p < C::kPacks; ++p) {
      x[i][p].clear();
      const int column = C::column(p);
      if (entry < count && column < job.dim) x[i][p].load(row + column);
    }
  }
#pragma unroll
  for (int i = 0; i < C::kBatch; ++i) {
    const int entry = first + i * C::kGroups + C::group();
    const T factor = kWeighted ? __shfl_sync(kAllLanes, weight, entry) : T(1);
#pragma unroll
    for (int j = 0; j < C::kSums; ++j) {
      const T value = x[i][j / C::kPack][j % C::kPack];
      sum[j] += kWeighted ? factor * value : value;
    }
  }
}

/// The sums over the entries [begin, end) of row v, the same in every group.
template <typename C, Weights kWeights, typename In, typename Out,
          typename Index>
__device__ __forceinline__ void sum_entries(const RowSum<In, Out, Index>& job,
                                            int64_t v, int64_t begin,
                                            int64_t end,
                                            Compute<In> (&sum)[C::kSums]) {
  using T = Compute<In>;
#pragma unroll
  for (int j = 0; j < C::kSums; ++j) sum[j] = T(0);
  const uint64_t counter_high = kWeights == Weights::values && job.mask.active
                                    ? counter_high_of(job.mask)
                                    : 0;
  const auto source_at = [&](int64_t e) {
    return e < end ? job.col[e] : Index(0);
  };
  Index next = source_at(begin + lane_id());
#pragma unroll 1
  for (int64_t e = begin; e < end; e += kWarp) {
    const int count = static_cast<int>(end - e < kWarp ? end - e : kWarp);
    const Index source = next;
    next = source_at(e + kWarp + lane_id());
    T weight = T(0);
    if (kWeights != Weights::ones && lane_id() < count) {
      weight = weight_of<kWeights>(job, counter_high, v, e + lane_id(),
                                   static_cast<int64_t>(source));
    }
#pragma unroll 1
    for (int i = 0; i < count; i += C::kBatch * C::kGroups) {
      add_entries<C, kWeights>(job, source, weight, i, count, sum);
    }
  }
#pragma unroll
  for (int offset = kWarp / 2; offset >= C::kLanes; offset /= 2) {
#pragma unroll
    for (int j = 0; j < C::kSums; ++j) {
      sum[j] += __shfl_xor_sync(kAllLanes, sum[j], offset);
    }
  }
}

/// What the sum of a row is multiplied with and added to. Asked for before the
/// row is summed, so that it arrives meanwhile.
template <typename C, typename Out>
struct RowFrame {
  double scale = 1;
  Raw<Out, C::kPack> before[C::kPacks];

  template <typename Job>
  __device__ __forceinline__ RowFrame(const Job& job, int64_t v) {
    if (job.row_scale != nullptr) scale = job.row_scale[v];
    const int64_t from = job.before_of != nullptr ? job.before_of[v] : v;
#pragma unroll
    for (int p = 0; p < C::kPacks; ++p) {
      before[p].clear();
      const int column = C::column(p);
      if (job.before != nullptr && from >= 0 && column < job.dim &&
          C::group() == 0) {
        before[p].load(job.before + from * job.before_pitch + column);
      }
    }
  }
};

/// Finishes row v; the first group of lanes has the word. With `streamed` the
/// result makes room in the L2 cache for the gathered rows.
template <typename C, typename In, typename Out, typename Index>
__device__ __forceinline__ void store_row(const RowSum<In, Out, Index>& job,
                                          int64_t v, bool streamed,
                                          const RowFrame<C, Out>& frame,
                                          Compute<In> (&sum)[C::kSums]) {
  using T = Compute<In>;
  const T scale = static_cast<T>(frame.scale);
#pragma unroll
  for (int p = 0; p < C::kPacks; ++p) {
    const int column = C::column(p);
    if (C::group() != 0 || column >= job.dim) continue;
    T* const values = sum + p * C::kPack;
    T shift[C::kPack] = {};
    if (job.bias != nullptr) load_pack<C::kPack>(job.bias + column, shift);
#pragma unroll
    for (int k = 0; k < C::kPack; ++k) {
      values[k] = scale * values[k] + shift[k] + frame.before[p][k];
    }
    Out* const out = job.out + v * job.dim + column;
    if (streamed) {
      stream_pack<C::kPack>(out, values);
    } else {
      store_pack<C::kPack>(out, values);
    }
  }
}

}  // namespace ordered_gnn::cuda
