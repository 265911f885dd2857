#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cuda/kernels/gates/candidate.h"
#include "ops/detail/candidate_layer.h"

// The norms of a layer with a candidate. Parameters and statistics are float
// beside bfloat16 rows and of the rows' type else.
namespace ordered_gnn::cuda {

/// A norm with its tensors, contiguous; all undefined without one.
struct LayerNormTensors {
  NormMode mode = NormMode::none;
  at::Tensor weight, bias;
  at::Tensor statistics;  ///< as CandidateLayerOutputs describes them
};

/// The norm of an op with room for its statistics, those of mode fixed set.
LayerNormTensors norm_tensors(const detail::NormArguments& norm,
                              const at::Tensor& h, double eps);
/// The norm that forward left.
LayerNormTensors norm_tensors(const detail::KeptNorm& kept);

/// As the kernels take it. A norm of mode batch is one over columns.
template <typename T>
NormJob<T> norm_job(const LayerNormTensors& norm) {
  NormJob<T> job;
  if (norm.mode == NormMode::none) return job;
  job.over = norm.mode == NormMode::layer ? NormOver::row : NormOver::columns;
  job.weight = norm.weight.data_ptr<T>();
  job.bias = norm.bias.data_ptr<T>();
  job.mean = norm.statistics.data_ptr<T>();
  job.rstd = job.mean + norm.statistics.size(1);
  return job;
}

/// Statistics of the columns of `x` into those of a norm of mode batch, and
/// from there into the running ones.
struct RunningStatistics {
  at::Tensor mean, var;  ///< both or none
  double momentum;
};
void set_column_statistics(const at::Tensor& x, const LayerNormTensors& norm,
                           double eps, const RunningStatistics& running);

/// x becomes dropout(norm(x)), the norm one over columns.
void normalize_columns(const LayerNormTensors& norm,
                       const detail::Dropout& dropout, const at::Tensor& x);

/// The gradient of the result of a norm of mode batch becomes that of `x`.
/// @param sum_grad, sum_product  over the rows: of the gradient, and of that
///        times the normalised value, [D].
void undo_column_norm(const LayerNormTensors& norm, const at::Tensor& x,
                      const at::Tensor& sum_grad, const at::Tensor& sum_product,
                      const at::Tensor& grad);

}  // namespace ordered_gnn::cuda
