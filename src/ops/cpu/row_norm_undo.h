#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cpu/row_norm.h"

namespace ordered_gnn::cpu {

/// Backward of a norm of rows; tensors are contiguous.
struct NormUndo {
  NormMode mode = NormMode::none;
  at::Tensor weight;
  at::Tensor statistics;  ///< mean and rstd, [2, N] or [2, D]
  at::Tensor scale;       ///< [D], rstd * weight of columns
  /// [2, D]: means over the rows of the gradient and of its product with the
  /// normalised rows. Mode batch has it after its pause, mode fixed has zeros.
  at::Tensor means;
  /// What every chunk of rows adds to the gradients of weight and bias,
  /// [chunks, D] each.
  at::Tensor weight_shares, bias_shares;

  /// Whether count_norm() must have seen all rows before undo_norm() sees one.
  bool pauses() const { return mode == NormMode::batch; }

  /// After all rows are counted in mode batch: sets the means.
  void finish(int64_t rows);

  /// Gradients of weight and bias; undefined without a norm.
  at::Tensor grad_weight() const;
  at::Tensor grad_bias() const;
};

NormUndo norm_undo(const detail::KeptNorm& kept, int64_t chunks);

template <typename T>
kernels::ColumnNormUndo<T> column_job(const NormUndo& norm, int64_t dim,
                                      const T* x, T* grad) {
  kernels::ColumnNormUndo<T> job;
  job.grad = grad;
  job.x = x;
  job.mean = row_of<T>(norm.statistics, 0);
  job.rstd = row_of<T>(norm.statistics, 1);
  job.scale = norm.scale.data_ptr<T>();
  job.grad_mean = row_of<T>(norm.means, 0);
  job.product_mean = row_of<T>(norm.means, 1);
  job.dim = dim;
  return job;
}

/// Adds the shares of `rows` rows to the sums over all of them, for a norm of
/// columns. `x` is what was normalised.
template <typename T>
void count_norm(const NormUndo& norm, int64_t chunk, int64_t rows, int64_t dim,
                const T* x, T* grad) {
  const auto job = column_job(norm, dim, x, grad);
  T* const products = row_of<T>(norm.weight_shares, chunk);
  T* const sums = row_of<T>(norm.bias_shares, chunk);
  ORDERED_GNN_SIMD_CALL(add_norm_products(job, rows, products, sums));
}

/// Turns the gradient of the normalised rows, `rows` of them from row `begin`
/// on, into that of x, in place, and adds to the shares of `chunk` what was not
/// counted before.
template <typename T>
void undo_norm(const NormUndo& norm, int64_t chunk, int64_t begin, int64_t rows,
               int64_t dim, const T* x, T* grad) {
  if (norm.mode == NormMode::none) return;
  if (norm.mode == NormMode::layer) {
    kernels::NormBackward<T> job;
    job.grad = grad;
    job.x = x;
    job.mean = row_of<T>(norm.statistics, 0) + begin;
    job.rstd = row_of<T>(norm.statistics, 1) + begin;
    job.weight = norm.weight.data_ptr<T>();
    job.grad_x = grad;
    job.dim = dim;
    T* const weights = row_of<T>(norm.weight_shares, chunk);
    T* const biases = row_of<T>(norm.bias_shares, chunk);
    ORDERED_GNN_SIMD_CALL(norm_backward(job, 0, rows, weights, biases));
    return;
  }
  if (norm.mode == NormMode::fixed) count_norm(norm, chunk, rows, dim, x, grad);
  const auto job = column_job(norm, dim, x, grad);
  ORDERED_GNN_SIMD_CALL(undo_column_norm(job, rows));
}

}  // namespace ordered_gnn::cpu
