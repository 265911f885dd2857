// Work split: the caller gives whole rows, each owned by one task.
// Memory: a tile of columns is summed in registers over all neighbours, so the
// output is written once and only the gathered rows are read.
// Determinism: neighbours are added in list order, whatever the threads.
#include "ops/cpu/kernels/row_sum_kernel.h"

#include "ops/cpu/kernels/bf16/vectors.h"
#include "ops/cpu/kernels/vector.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

template <typename In, typename Index, typename Out>
inline Computed<In> weight_of(const RowSum<In, Index, Out>& job, int64_t e) {
  using T = Computed<In>;
  T weight = job.edge_weight != nullptr ? job.edge_weight[e] : T(1);
  if (job.col_scale != nullptr) {
    weight *= static_cast<T>(job.col_scale[job.col[e]]);
  }
  return weight;
}

// Rows are gathered from all over: asking for one this many entries ahead
// hides most of the way to it.
constexpr int64_t kAhead = 4;

// The sums of a tile of rows in bfloat16. Two numbers are read as one word: its
// upper half is a float as it stands, its lower half one after a shift, which
// takes half the instructions of widening them in their order.
template <int kVectors, bool kWeighted, typename Index, typename Out>
inline void sum_pairs(const RowSum<Bf16, Index, Out>& job, int64_t v,
                      int64_t offset, int64_t last_entry, Vector<float>* out) {
  constexpr int kPairs = kVectors / 2;
  constexpr int kLine = 64 / static_cast<int>(sizeof(Bf16));
  const Index* const col = job.col;
  const Bf16* const h = job.h + offset;
  const int64_t end = job.rowptr[v + 1];
  Vector<float> even[kPairs] = {}, odd[kPairs] = {};
  for (int64_t e = job.rowptr[v]; e < end; ++e) {
    const Bf16* const source = h + static_cast<int64_t>(col[e]) * job.dim;
    if (e + kAhead < last_entry) {
      const Bf16* const next =
          h + static_cast<int64_t>(col[e + kAhead]) * job.dim;
#pragma GCC unroll 8
      for (int i = 0; i < kPairs; ++i) __builtin_prefetch(next + i * kLine);
    }
    const float weight = kWeighted ? weight_of(job, e) : 1.0F;
#pragma GCC unroll 8
    for (int i = 0; i < kPairs; ++i) {
      // Rows of an odd width begin between words.
      const auto pairs = (FloatBits)load(
          reinterpret_cast<const uint16_t*>(source + i * kLine));
      const Vector<float> low = (Vector<float>)(pairs << 16);
      const Vector<float> high = (Vector<float>)(pairs & 0xffff0000u);
      even[i] += kWeighted ? weight * low : low;
      odd[i] += kWeighted ? weight * high : high;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kPairs; ++i) {
    out[2 * i] = __builtin_shufflevector(even[i], odd[i], 0, 16, 1, 17, 2, 18,
                                         3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    out[2 * i + 1] =
        __builtin_shufflevector(even[i], odd[i], 8, 24, 9, 25, 10, 26, 11, 27,
                                12, 28, 13, 29, 14, 30, 15, 31);
  }
}

// The sums of a tile in the order of the columns.
template <int kVectors, bool kWeighted, typename In, typename Index,
          typename Out>
inline void sum_entries(const RowSum<In, Index, Out>& job, int64_t v,
                        int64_t offset, int64_t last_entry,
                        Vector<Computed<In>>* sum) {
  using T = Computed<In>;
  constexpr int kWidth = kVectorWidth<T>;
  constexpr int kLine = 64 / static_cast<int>(sizeof(In));
  const Index* const col = job.col;
  const In* const h = job.h + offset;
  const int64_t dim = job.dim;
  const int64_t end = job.rowptr[v + 1];
  for (int64_t e = job.rowptr[v]; e < end; ++e) {
    const In* const source = h + static_cast<int64_t>(col[e]) * dim;
    if (kVectors > 1 && e + kAhead < last_entry) {
      const In* const next = h + static_cast<int64_t>(col[e + kAhead]) * dim;
#pragma GCC unroll 16
      for (int i = 0; i < kVectors * kWidth; i += kLine) {
        __builtin_prefetch(next + i);
      }
    }
    if constexpr (kWeighted) {
      const T weight = weight_of(job, e);
#pragma GCC unroll 16
      for (int i = 0; i < kVectors; ++i) {
        sum[i] += weight * load_row(source + i * kWidth);
      }
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < kVectors; ++i) {
        sum[i] += load_row(source + i * kWidth);
      }
    }
  }
}

// Sums kVectors vectors of columns from `offset` on over all neighbours of v.
template <int kVectors, bool kWeighted, typename In, typename Index,
          typename Out>
inline void sum_tile(const RowSum<In, Index, Out>& job, int64_t v,
                     int64_t offset, int64_t last_entry) {
  using T = Computed<In>;
  constexpr int kWidth = kVectorWidth<T>;
  const int64_t dim = job.dim;
  Vector<T> sum[kVectors] = {};
  if constexpr (sizeof(In) == sizeof(Bf16) && kVectors > 1) {
    sum_pairs<kVectors, kWeighted>(job, v, offset, last_entry, sum);
  } else {
    sum_entries<kVectors, kWeighted>(job, v, offset, last_entry, sum);
  }
  const T scale =
      job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
  Out* const out = job.out + v * dim + offset;
  const Out* const before =
      job.before != nullptr ? job.before + v * dim + offset : nullptr;
#pragma GCC unroll 16
  for (int i = 0; i < kVectors; ++i) {
    Vector<T> result = scale * sum[i];
    if (job.bias != nullptr) result += load(job.bias + offset + i * kWidth);
    if (before != nullptr) {
      result += job.before_share * load_row(before + i * kWidth);
    }
    store_row(out + i * kWidth, result);
  }
}

// The columns that do not fill a vector.
template <bool kWeighted, typename In, typename Index, typename Out>
inline void sum_rest(const RowSum<In, Index, Out>& job, int64_t v,
                     int64_t offset) {
  using T = Computed<In>;
  const T scale =
      job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
  for (int64_t d = offset; d < job.dim; ++d) {
    T sum = T(0);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T value =
          computed(job.h[static_cast<int64_t>(job.col[e]) * job.dim + d]);
      sum += kWeighted ? weight_of(job, e) * value : value;
    }
    const int64_t place = v * job.dim + d;
    T result = scale * sum + (job.bias != nullptr ? job.bias[d] : T(0));
    if (job.before != nullptr) {
      result += job.before_share * computed(job.before[place]);
    }
    set_stored(job.out[place], result);
  }
}

template <bool kWeighted, typename In, typename Index, typename Out>
void sum_rows(const RowSum<In, Index, Out>& job, int64_t begin, int64_t end) {
  using T = Computed<In>;
  constexpr int kTile = kAccumulators * kVectorWidth<T>;
  const int64_t last_entry = job.rowptr[end];
  for (int64_t v = begin; v < end; ++v) {
    int64_t d = 0;
    for (; d + kTile <= job.dim; d += kTile) {
      sum_tile<kAccumulators, kWeighted>(job, v, d, last_entry);
    }
    for (; d + kVectorWidth<T> <= job.dim; d += kVectorWidth<T>) {
      sum_tile<1, kWeighted>(job, v, d, last_entry);
    }
    sum_rest<kWeighted>(job, v, d);
  }
}

}  // namespace

template <typename In, typename Index, typename Out>
void row_sum(const RowSum<In, Index, Out>& job, int64_t begin, int64_t end) {
  if (job.edge_weight != nullptr || job.col_scale != nullptr) {
    sum_rows<true>(job, begin, end);
  } else {
    sum_rows<false>(job, begin, end);
  }
}

template <typename T, typename Index>
void edge_dot(const EdgeDot<T, Index>& job, int64_t begin, int64_t end) {
  constexpr int kWidth = kVectorWidth<T>;
  for (int64_t v = begin; v < end; ++v) {
    const T* const grad = job.grad + v * job.dim;
    const T scale =
        job.row_scale != nullptr ? static_cast<T>(job.row_scale[v]) : T(1);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T* const h = job.h + static_cast<int64_t>(job.col[e]) * job.dim;
      Vector<T> sum = {};
      int64_t d = 0;
      for (; d + kWidth <= job.dim; d += kWidth) {
        sum += load(grad + d) * load(h + d);
      }
      T total = sum_of<T>(sum);
      for (; d < job.dim; ++d) total += grad[d] * h[d];
      job.dot[e] = scale * total;
    }
  }
}

#define ORDERED_GNN_INSTANTIATE(T, Index)                              \
  template void row_sum(const RowSum<T, Index, T>&, int64_t, int64_t); \
  template void edge_dot(const EdgeDot<T, Index>&, int64_t, int64_t);
ORDERED_GNN_INSTANTIATE(float, int32_t)
ORDERED_GNN_INSTANTIATE(float, int64_t)
ORDERED_GNN_INSTANTIATE(double, int32_t)
ORDERED_GNN_INSTANTIATE(double, int64_t)

#define ORDERED_GNN_INSTANTIATE_STORED(In, Index, Out) \
  template void row_sum(const RowSum<In, Index, Out>&, int64_t, int64_t);
ORDERED_GNN_INSTANTIATE_STORED(Bf16, int32_t, Bf16)
ORDERED_GNN_INSTANTIATE_STORED(Bf16, int64_t, Bf16)
ORDERED_GNN_INSTANTIATE_STORED(Bf16, int32_t, float)
ORDERED_GNN_INSTANTIATE_STORED(float, int32_t, Bf16)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
