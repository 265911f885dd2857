// Work split: the caller gives whole rows, each owned by one task; an edge is
// an entry of one row.
// Memory: a gathered row serves both gradients, so it is read once, as in the
// sum that is undone; sums of a tile of columns stay in registers over all
// entries, and the row's own h in the L1 cache.
// Determinism: entries are added in list order, products of a head pack by
// pack, whatever the threads.
#include "ops/cpu/kernels/head_undo_kernel.h"

#include "ops/cpu/kernels/vector.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// As far ahead as row_sum_kernel.cpp asks for rows.
constexpr int64_t kAhead = 4;

// kPacks packs of columns from `offset` on, of which kTogether after the other
// belong to one head.
template <int kBytes, int kPacks, int kTogether, typename T, typename Index>
inline void undo_packs(const HeadUndo<T, Index>& job, int64_t v, int64_t offset,
                       int64_t last_entry) {
  using Pack = typename SimdOf<T, kBytes>::Type;
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  constexpr int kGroups = kPacks / kTogether;
  const int64_t dim = job.heads * job.head_dim;
  int64_t head[kGroups];
  bool begins[kGroups];  // the first of its head, whose product is not added
  for (int g = 0; g < kGroups; ++g) {
    const int64_t column = offset + g * kTogether * kWidth;
    head[g] = column / job.head_dim;
    begins[g] = column % job.head_dim == 0;
  }
  const T* const own = job.h + v * dim + offset;
  Pack sum[kPacks] = {};
  for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
    const T* const source =
        job.grad + static_cast<int64_t>(job.col[e]) * dim + offset;
    if (kPacks > 1 && e + kAhead < last_entry) {
      const T* const next =
          job.grad + static_cast<int64_t>(job.col[e + kAhead]) * dim + offset;
#pragma GCC unroll 16
      for (int i = 0; i < kPacks; ++i) __builtin_prefetch(next + i * kWidth);
    }
    const int64_t first = job.edge_of[e] * job.heads;
#pragma GCC unroll 16
    for (int g = 0; g < kGroups; ++g) {
      const T weight = job.weight[first + head[g]];
      Pack product = {};
#pragma GCC unroll 16
      for (int i = g * kTogether; i < (g + 1) * kTogether; ++i) {
        const Pack x = load<kBytes>(source + i * kWidth);
        sum[i] += weight * x;
        product += load<kBytes>(own + i * kWidth) * x;
      }
      T& result = job.grad_weight[first + head[g]];
      const T total = sum_of<T, kBytes>(product);
      result = begins[g] ? total : result + total;
    }
  }
  T* const out = job.grad_h + v * dim + offset;
#pragma GCC unroll 16
  for (int i = 0; i < kPacks; ++i) store<kBytes>(out + i * kWidth, sum[i]);
}

template <int kBytes, int kTogether, typename T, typename Index>
void undo_rows(const HeadUndo<T, Index>& job, int64_t begin, int64_t end) {
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  constexpr int kRegisters = kAccumulators * 64 / kBytes;
  constexpr int kMost = kRegisters < 16 ? kRegisters : 16;
  constexpr int kPacks = kMost < kTogether ? kTogether : kMost;
  const int64_t dim = job.heads * job.head_dim;
  const int64_t last_entry = job.rowptr[end];
  for (int64_t v = begin; v < end; ++v) {
    int64_t d = 0;
    for (; d + kPacks * kWidth <= dim; d += kPacks * kWidth) {
      undo_packs<kBytes, kPacks, kTogether>(job, v, d, last_entry);
    }
    for (; d < dim; d += kTogether * kWidth) {
      undo_packs<kBytes, kTogether, kTogether>(job, v, d, last_entry);
    }
  }
}

// Heads of whole packs: as many together as every head has a multiple of.
template <int kBytes, typename T, typename Index>
void undo_heads(const HeadUndo<T, Index>& job, int64_t begin, int64_t end) {
  const int64_t packs = job.head_dim * static_cast<int64_t>(sizeof(T)) / kBytes;
  if (packs % 8 == 0) {
    undo_rows<kBytes, 8>(job, begin, end);
  } else if (packs % 4 == 0) {
    undo_rows<kBytes, 4>(job, begin, end);
  } else if (packs % 2 == 0) {
    undo_rows<kBytes, 2>(job, begin, end);
  } else {
    undo_rows<kBytes, 1>(job, begin, end);
  }
}

// Heads that do not fill packs.
template <typename T, typename Index>
void undo_odd_heads(const HeadUndo<T, Index>& job, int64_t begin, int64_t end) {
  const int64_t dim = job.heads * job.head_dim;
  for (int64_t v = begin; v < end; ++v) {
    T* const out = job.grad_h + v * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = T(0);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T* const source = job.grad + static_cast<int64_t>(job.col[e]) * dim;
      const T* const own = job.h + v * dim;
      const int64_t first = job.edge_of[e] * job.heads;
      for (int64_t i = 0; i < job.heads; ++i) {
        T total = T(0);
        for (int64_t d = i * job.head_dim; d < (i + 1) * job.head_dim; ++d) {
          out[d] += job.weight[first + i] * source[d];
          total += own[d] * source[d];
        }
        job.grad_weight[first + i] = total;
      }
    }
  }
}

}  // namespace

template <typename T, typename Index>
void head_undo(const HeadUndo<T, Index>& job, int64_t begin, int64_t end) {
  const int64_t bytes = job.head_dim * static_cast<int64_t>(sizeof(T));
  if (bytes == 0 || bytes % 16 != 0) {
    undo_odd_heads(job, begin, end);
  } else if (bytes % 64 == 0) {
    undo_heads<64>(job, begin, end);
  } else if (bytes % 32 == 0) {
    undo_heads<32>(job, begin, end);
  } else {
    undo_heads<16>(job, begin, end);
  }
}

#define ORDERED_GNN_INSTANTIATE(T, Index) \
  template void head_undo(const HeadUndo<T, Index>&, int64_t, int64_t);
ORDERED_GNN_INSTANTIATE(float, int32_t)
ORDERED_GNN_INSTANTIATE(float, int64_t)
ORDERED_GNN_INSTANTIATE(double, int32_t)
ORDERED_GNN_INSTANTIATE(double, int64_t)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
