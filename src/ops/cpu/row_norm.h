#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "ops/cpu/kernels/column_norm_kernel.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/cpu/scratch.h"
#include "ops/detail/candidate_layer.h"

namespace ordered_gnn::cpu {

/// A norm as the blocks of a layer apply it; tensors are contiguous.
struct NormPass {
  NormMode mode = NormMode::none;
  at::Tensor weight, bias;
  at::Tensor statistics;  ///< mean and rstd, [2, N] or [2, D]
  at::Tensor columns;     ///< [2, D], see set_columns()
  bool is_known = false;  ///< the statistics of rows are there already
  double eps = 0;

  /// Whether all rows must be known before one can be normalised.
  bool pauses() const { return mode == NormMode::batch; }

  /// From the statistics of columns, which mode batch has after its pause: the
  /// norm as x * scale + shift.
  void set_columns();
};

/// The norm of an op, with room for its statistics.
NormPass norm_pass(const detail::NormArguments& norm, const at::Tensor& h,
                   double eps);

/// Statistics of columns, block by block: a block leaves its mean and squares
/// around it, so that nothing is lost where a mean is large.
class ColumnMoments {
 public:
  /// @param bounds   of the blocks of rows; must outlive this.
  /// @param columns  [D], of the type that rows are counted in.
  ColumnMoments(const std::vector<int64_t>& bounds, const at::Tensor& columns);

  /// Counts the rows of a block, `x` being its first.
  template <typename T>
  void count(int64_t block, const T* x) const {
    const int64_t dim = partial_.size(2);
    T* const mean = partial_.data_ptr<T>() + 2 * block * dim;
    const int64_t rows = bounds_[block + 1] - bounds_[block];
    ORDERED_GNN_SIMD_CALL(column_moments(x, dim, rows, mean, mean + dim));
  }

  /// After all blocks, which are added in order: statistics and columns of the
  /// norm. Running statistics, where there are any, are moved by `momentum`.
  void finish(NormPass& norm, const detail::NormArguments& arguments,
              double momentum) const;

 private:
  const std::vector<int64_t>& bounds_;
  at::Tensor partial_;  // [blocks, 2, D]: mean and squares
};

/// out = norm(x), or its positive part, for `rows` rows from row `begin` on, at
/// which x and out start; `out` may be `x`.
template <typename T>
void normalize(const NormPass& norm, int64_t begin, int64_t rows, int64_t dim,
               bool relu, const T* x, T* out) {
  if (norm.mode == NormMode::layer) {
    kernels::NormForward<T> job;
    job.x = x;
    job.weight = norm.weight.data_ptr<T>();
    job.bias = norm.bias.data_ptr<T>();
    job.out = out;
    job.mean = row_of<T>(norm.statistics, 0) + begin;
    job.rstd = row_of<T>(norm.statistics, 1) + begin;
    job.dim = dim;
    job.eps = norm.eps;
    if (norm.is_known) {
      ORDERED_GNN_SIMD_CALL(norm_again(job, 0, rows));
    } else {
      ORDERED_GNN_SIMD_CALL(norm_forward(job, 0, rows));
    }
  } else if (norm.mode != NormMode::none) {
    const T* const scale = row_of<T>(norm.columns, 0);
    const T* const shift = row_of<T>(norm.columns, 1);
    ORDERED_GNN_SIMD_CALL(scale_columns(x, scale, shift, dim, rows, out));
  } else if (!relu && x != out) {
    std::copy(x, x + rows * dim, out);
  }
  if (!relu) return;
  const T* const source = norm.mode == NormMode::none ? x : out;
  ORDERED_GNN_SIMD_CALL(relu(source, out, rows * dim));
}

}  // namespace ordered_gnn::cpu
