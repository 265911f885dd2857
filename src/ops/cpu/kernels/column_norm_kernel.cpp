// Work split: the caller gives a block of rows; sums over them go to buffers of
// the caller.
// Memory: a block is in cache, so that each step is a pass of its own.
// Determinism: columns are summed row by row, in order.
#include "ops/cpu/kernels/column_norm_kernel.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {

template <typename T>
void relu(const T* x, T* out, int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = x[i] < T(0) ? T(0) : x[i];
}

template <typename T>
void undo_relu(const T* y, T* grad, int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) grad[i] = y[i] > T(0) ? grad[i] : T(0);
}

template <typename T>
void scale_columns(const T* x, const T* scale, const T* shift, int64_t dim,
                   int64_t rows, T* out) {
  for (int64_t v = 0; v < rows; ++v) {
#pragma GCC ivdep
    for (int64_t d = 0; d < dim; ++d) {
      out[v * dim + d] = x[v * dim + d] * scale[d] + shift[d];
    }
  }
}

template <typename T>
void column_moments(const T* x, int64_t dim, int64_t rows, T* mean,
                    T* squares) {
  for (int64_t d = 0; d < dim; ++d) mean[d] = squares[d] = T(0);
  for (int64_t v = 0; v < rows; ++v) {
#pragma GCC ivdep
    for (int64_t d = 0; d < dim; ++d) mean[d] += x[v * dim + d];
  }
  const T share = T(1) / static_cast<T>(rows);
  for (int64_t d = 0; d < dim; ++d) mean[d] *= share;
  for (int64_t v = 0; v < rows; ++v) {
#pragma GCC ivdep
    for (int64_t d = 0; d < dim; ++d) {
      const T distance = x[v * dim + d] - mean[d];
      squares[d] += distance * distance;
    }
  }
}

template <typename T>
void add_norm_products(const ColumnNormUndo<T>& job, int64_t rows, T* products,
                       T* sums) {
  const T* const mean = job.mean;
  const T* const rstd = job.rstd;
  for (int64_t v = 0; v < rows; ++v) {
    const T* const grad = job.grad + v * job.dim;
    const T* const x = job.x + v * job.dim;
#pragma GCC ivdep
    for (int64_t d = 0; d < job.dim; ++d) {
      sums[d] += grad[d];
      products[d] += grad[d] * ((x[d] - mean[d]) * rstd[d]);
    }
  }
}

template <typename T>
void undo_column_norm(const ColumnNormUndo<T>& job, int64_t rows) {
  const T* const mean = job.mean;
  const T* const rstd = job.rstd;
  const T* const scale = job.scale;
  const T* const grad_mean = job.grad_mean;
  const T* const product_mean = job.product_mean;
  for (int64_t v = 0; v < rows; ++v) {
    T* const grad = job.grad + v * job.dim;
    const T* const x = job.x + v * job.dim;
#pragma GCC ivdep
    for (int64_t d = 0; d < job.dim; ++d) {
      const T normalized = (x[d] - mean[d]) * rstd[d];
      grad[d] =
          scale[d] * (grad[d] - grad_mean[d] - normalized * product_mean[d]);
    }
  }
}

#define ORDERED_GNN_INSTANTIATE(T)                                            \
  template void relu(const T*, T*, int64_t);                                  \
  template void undo_relu(const T*, T*, int64_t);                             \
  template void scale_columns(const T*, const T*, const T*, int64_t, int64_t, \
                              T*);                                            \
  template void column_moments(const T*, int64_t, int64_t, T*, T*);           \
  template void add_norm_products(const ColumnNormUndo<T>&, int64_t, T*, T*); \
  template void undo_column_norm(const ColumnNormUndo<T>&, int64_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
