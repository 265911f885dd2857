#pragma once
#include <cstdint>

#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// Weighted sums of gathered rows over a compressed list:
///
///   out[v] = bias + before(v) + row_scale[v] * sum_e weight(e) * h[col[e]]
///   weight(e) = edge_weight[e] * col_scale[col[e]]
///
/// Null pointers stand for ones (scales, weights) and zeros (bias, before).
/// before(v) is before_share * before[v]; `before` may be `out`. Rows are
/// stored as In and Out, sums and the rest are of the type those are computed
/// in.
template <typename In, typename Index, typename Out = In>
struct RowSum {
  using T = Computed<In>;
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const double* row_scale = nullptr;
  const double* col_scale = nullptr;
  const T* edge_weight = nullptr;
  const T* bias = nullptr;
  const In* h = nullptr;
  Out* out = nullptr;
  const Out* before = nullptr;  // [rows, dim]
  T before_share = T(1);
  int64_t dim = 0;
};

/// Per-edge inner products dot[e] = scale[v] * <grad[v], h[col[e]]> for the
/// edges e of row v; a null scale stands for ones.
template <typename T, typename Index>
struct EdgeDot {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const double* row_scale = nullptr;
  const T* grad = nullptr;
  const T* h = nullptr;
  T* dot = nullptr;
  int64_t dim = 0;
};

ORDERED_GNN_SIMD_DECLARE(template <typename In, typename Index, typename Out>
                         void row_sum(const RowSum<In, Index, Out>& job,
                                      int64_t begin, int64_t end);
                         template <typename T, typename Index>
                         void edge_dot(const EdgeDot<T, Index>& job,
                                       int64_t begin, int64_t end);)

}  // namespace ordered_gnn::kernels
