#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// Sums of gathered rows with a weight per entry and head. A row is `heads`
/// parts of `head_dim` columns, side by side:
///
///   out[v, i] = sum_e weight[e, i] * h[col[e], i]
template <typename T, typename Index>
struct HeadSum {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* weight = nullptr;  // [entries, heads]
  const T* h = nullptr;
  T* out = nullptr;
  int64_t heads = 1;
  int64_t head_dim = 0;
};

/// dot[e, i] = <a[v, i], b[col[e], i]> for the entries e of row v.
template <typename T, typename Index>
struct HeadDot {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* a = nullptr;
  const T* b = nullptr;
  T* dot = nullptr;  // [entries, heads]
  int64_t heads = 1;
  int64_t head_dim = 0;
};

/// Undoes a softmax over the entries of every row, column by column.
template <typename T>
struct HeadSoftmaxBackward {
  const int64_t* rowptr = nullptr;
  const T* out = nullptr;   // [entries, heads], as are the others
  const T* grad = nullptr;  // of `out`
  T* grad_score = nullptr;
  int64_t heads = 1;
};

ORDERED_GNN_SIMD_DECLARE(
    template <typename T, typename Index>
    void head_sum(const HeadSum<T, Index>& job, int64_t begin, int64_t end);
    template <typename T, typename Index>
    void head_dot(const HeadDot<T, Index>& job, int64_t begin, int64_t end);
    /// Softmax of every column of the [entries of v, heads] scores of the rows
    /// v from `begin` on.
    template <typename T>
    void head_softmax(const int64_t* rowptr, int64_t begin, int64_t end,
                      const T* score, int64_t heads, T* out);
    template <typename T>
    void head_softmax_backward(const HeadSoftmaxBackward<T>& job, int64_t begin,
                               int64_t end);)

}  // namespace ordered_gnn::kernels
