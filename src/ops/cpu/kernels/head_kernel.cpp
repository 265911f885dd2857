// Work split: the caller gives whole rows, each owned by one task.
// Memory: all heads of a gathered row are read together; sums of a tile of
// columns stay in registers over all neighbours.
// Determinism: neighbours are added in list order, whatever the threads.
#include "ops/cpu/kernels/head_kernel.h"

#include "ops/cpu/kernels/vector.h"
#include "ops/cpu/kernels/vector_exp.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// Sums kPacks packs of columns from `offset` on; a pack lies within one head.
template <int kBytes, int kPacks, typename T, typename Index>
inline void sum_packs(const HeadSum<T, Index>& job, int64_t v, int64_t offset) {
  using Pack = typename SimdOf<T, kBytes>::Type;
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  const int64_t dim = job.heads * job.head_dim;
  int64_t head[kPacks];
  for (int i = 0; i < kPacks; ++i) {
    head[i] = (offset + i * kWidth) / job.head_dim;
  }
  Pack sum[kPacks] = {};
  for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
    const T* const source =
        job.h + static_cast<int64_t>(job.col[e]) * dim + offset;
    const T* const weight = job.weight + e * job.heads;
#pragma GCC unroll 8
    for (int i = 0; i < kPacks; ++i) {
      sum[i] += weight[head[i]] * load<kBytes>(source + i * kWidth);
    }
  }
  T* const out = job.out + v * dim + offset;
#pragma GCC unroll 8
  for (int i = 0; i < kPacks; ++i) store<kBytes>(out + i * kWidth, sum[i]);
}

template <int kBytes, typename T, typename Index>
void sum_rows(const HeadSum<T, Index>& job, int64_t begin, int64_t end) {
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  constexpr int kRegisters = kAccumulators * 64 / kBytes;
  constexpr int kPacks = kRegisters < 8 ? kRegisters : 8;
  const int64_t dim = job.heads * job.head_dim;
  for (int64_t v = begin; v < end; ++v) {
    int64_t d = 0;
    for (; d + kPacks * kWidth <= dim; d += kPacks * kWidth) {
      sum_packs<kBytes, kPacks>(job, v, d);
    }
    for (; d < dim; d += kWidth) sum_packs<kBytes, 1>(job, v, d);
  }
}

// Heads that do not fill packs.
template <typename T, typename Index>
void sum_odd_rows(const HeadSum<T, Index>& job, int64_t begin, int64_t end) {
  const int64_t dim = job.heads * job.head_dim;
  for (int64_t v = begin; v < end; ++v) {
    T* const out = job.out + v * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = T(0);
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T* source = job.h + static_cast<int64_t>(job.col[e]) * dim;
      const T* const weight = job.weight + e * job.heads;
      T* sum = out;
      for (int64_t i = 0; i < job.heads; ++i) {
        for (int64_t d = 0; d < job.head_dim; ++d) {
          *sum++ += weight[i] * *source++;
        }
      }
    }
  }
}

// Values whose exponentials are taken together: those of single rows would
// seldom fill a vector.
constexpr int64_t kChunk = 1024;

// The end of the rows from v on that have so many scores, one row at least.
inline int64_t end_of_chunk(const int64_t* rowptr, int64_t v, int64_t end,
                            int64_t heads) {
  int64_t next = v + 1;
  while (next < end && (rowptr[next + 1] - rowptr[v]) * heads <= kChunk) ++next;
  return next;
}

template <int kCount>
struct Count {
  constexpr int operator()() const { return kCount; }
};

// Calls f(count, first) for all heads: eight together where there are so many,
// the others one by one.
template <typename F>
inline void for_heads(int64_t heads, const F& f) {
  int64_t i = 0;
  for (; i + 8 <= heads; i += 8) f(Count<8>(), i);
  for (; i < heads; ++i) f(Count<1>(), i);
}

template <int kHeads, typename T>
inline void shift_by_highest(const T* score, int64_t size, int64_t heads,
                             T* out) {
  if (size == 0) return;
  T highest[kHeads];
  for (int i = 0; i < kHeads; ++i) highest[i] = score[i];
  for (int64_t e = 1; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) {
      const T value = score[e * heads + i];
      highest[i] = value > highest[i] ? value : highest[i];
    }
  }
  for (int64_t e = 0; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) {
      out[e * heads + i] = score[e * heads + i] - highest[i];
    }
  }
}

template <int kHeads, typename T>
inline void divide_by_sum(int64_t size, int64_t heads, T* out) {
  T total[kHeads] = {};
  for (int64_t e = 0; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) total[i] += out[e * heads + i];
  }
  for (int64_t e = 0; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) out[e * heads + i] /= total[i];
  }
}

template <int kHeads, typename T>
inline void undo_softmax(const T* out, const T* grad, int64_t size,
                         int64_t heads, T* grad_score) {
  T mean[kHeads] = {};
  for (int64_t e = 0; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) {
      mean[i] += out[e * heads + i] * grad[e * heads + i];
    }
  }
  for (int64_t e = 0; e < size; ++e) {
    for (int i = 0; i < kHeads; ++i) {
      const int64_t at = e * heads + i;
      grad_score[at] = out[at] * (grad[at] - mean[i]);
    }
  }
}

}  // namespace

template <typename T, typename Index>
void head_sum(const HeadSum<T, Index>& job, int64_t begin, int64_t end) {
  const int64_t bytes = job.head_dim * static_cast<int64_t>(sizeof(T));
  if (bytes % 64 == 0) {
    sum_rows<64>(job, begin, end);
  } else if (bytes % 32 == 0) {
    sum_rows<32>(job, begin, end);
  } else if (bytes % 16 == 0) {
    sum_rows<16>(job, begin, end);
  } else {
    sum_odd_rows(job, begin, end);
  }
}

template <typename T, typename Index>
void head_dot(const HeadDot<T, Index>& job, int64_t begin, int64_t end) {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  using Pack = typename SimdOf<T, 16>::Type;
  const int64_t dim = job.heads * job.head_dim;
  for (int64_t v = begin; v < end; ++v) {
    for (int64_t e = job.rowptr[v]; e < job.rowptr[v + 1]; ++e) {
      const T* a = job.a + v * dim;
      const T* b = job.b + static_cast<int64_t>(job.col[e]) * dim;
      for (int64_t i = 0; i < job.heads; ++i) {
        Pack sum = {};
        int64_t d = 0;
        for (; d + kWidth <= job.head_dim; d += kWidth) {
          sum += load<16>(a + d) * load<16>(b + d);
        }
        T total = T(0);
        for (int k = 0; k < kWidth; ++k) total += sum[k];
        for (; d < job.head_dim; ++d) total += a[d] * b[d];
        job.dot[e * job.heads + i] = total;
        a += job.head_dim;
        b += job.head_dim;
      }
    }
  }
}

template <typename T>
void head_softmax(const int64_t* rowptr, int64_t begin, int64_t end,
                  const T* score, int64_t heads, T* out) {
  // Without edges there are no rows to point into.
  if (rowptr[begin] == rowptr[end]) return;
  for (int64_t v = begin, next = v; v < end; v = next) {
    next = end_of_chunk(rowptr, v, end, heads);
    for (int64_t row = v; row < next; ++row) {
      const int64_t at = rowptr[row] * heads,
                    size = rowptr[row + 1] - rowptr[row];
      for_heads(heads, [&](auto count, int64_t i) {
        shift_by_highest<count()>(score + at + i, size, heads, out + at + i);
      });
    }
    const int64_t last = rowptr[next] * heads;
    for (int64_t at = rowptr[v] * heads; at < last; ++at) {
      out[at] = vector_exp(out[at]);
    }
    for (int64_t row = v; row < next; ++row) {
      const int64_t at = rowptr[row] * heads,
                    size = rowptr[row + 1] - rowptr[row];
      for_heads(heads, [&](auto count, int64_t i) {
        divide_by_sum<count()>(size, heads, out + at + i);
      });
    }
  }
}

template <typename T>
void head_softmax_backward(const HeadSoftmaxBackward<T>& job, int64_t begin,
                           int64_t end) {
  if (job.rowptr[begin] == job.rowptr[end]) return;
  const int64_t heads = job.heads;
  for (int64_t v = begin; v < end; ++v) {
    const int64_t first = job.rowptr[v], at = first * heads,
                  size = job.rowptr[v + 1] - first;
    for_heads(heads, [&](auto count, int64_t i) {
      undo_softmax<count()>(job.out + at + i, job.grad + at + i, size, heads,
                            job.grad_score + at + i);
    });
  }
}

#define ORDERED_GNN_INSTANTIATE_LIST(T, Index)                        \
  template void head_sum(const HeadSum<T, Index>&, int64_t, int64_t); \
  template void head_dot(const HeadDot<T, Index>&, int64_t, int64_t);
#define ORDERED_GNN_INSTANTIATE(T)                                            \
  ORDERED_GNN_INSTANTIATE_LIST(T, int32_t)                                    \
  ORDERED_GNN_INSTANTIATE_LIST(T, int64_t)                                    \
  template void head_softmax(const int64_t*, int64_t, int64_t, const T*,      \
                             int64_t, T*);                                    \
  template void head_softmax_backward(const HeadSoftmaxBackward<T>&, int64_t, \
                                      int64_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
