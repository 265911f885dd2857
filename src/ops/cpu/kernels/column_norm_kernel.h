#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// Backward of a norm whose mean and rstd are those of columns:
///
///   grad = scale * (grad - grad_mean - (x - mean) * rstd * product_mean)
///
/// where the two means are over the rows, of grad and of grad times the
/// normalised x; zeros when the statistics are no function of the rows.
template <typename T>
struct ColumnNormUndo {
  T* grad = nullptr;                // [N, dim], in place
  const T* x = nullptr;             // [N, dim]
  const T* mean = nullptr;          // [dim], as all that follow
  const T* rstd = nullptr;          //
  const T* scale = nullptr;         // rstd * weight
  const T* grad_mean = nullptr;     //
  const T* product_mean = nullptr;  //
  int64_t dim = 0;
};

ORDERED_GNN_SIMD_DECLARE(
    /// out = max(x, 0); NaN stays. `out` may be `x`.
    template <typename T> void relu(const T* x, T* out, int64_t count);
    /// grad = 0 where y, a result of relu(), is not positive.
    template <typename T> void undo_relu(const T* y, T* grad, int64_t count);
    /// out[v][d] = x[v][d] * scale[d] + shift[d] for `rows` rows.
    template <typename T>
    void scale_columns(const T* x, const T* scale, const T* shift, int64_t dim,
                       int64_t rows, T* out);
    /// Mean of every column, and the sum of squares around it.
    template <typename T>
    void column_moments(const T* x, int64_t dim, int64_t rows, T* mean,
                        T* squares);
    /// sums[d] += sum of grad over the rows, products[d] += sum of grad times
    /// the normalised x.
    template <typename T>
    void add_norm_products(const ColumnNormUndo<T>& job, int64_t rows,
                           T* products, T* sums);
    template <typename T>
    void undo_column_norm(const ColumnNormUndo<T>& job, int64_t rows);)

}  // namespace ordered_gnn::kernels
