#include "ops/detail/scaled_aggregate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;

at::Tensor scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& /*t_rowptr*/,
                            const at::Tensor& /*t_col*/,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
  detail::check_scaled_aggregate(rowptr, col, row_scale, col_scale, h);
  const OnDevice device(h);
  const at::Tensor source = h.contiguous();
  const at::Tensor out = at::empty_like(source);
  list_sum({rowptr, col, packed(row_scale), packed(col_scale), {}, {}}, source,
           out);
  return out;
}

at::Tensor propagation_step(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h,
                            const at::Tensor& start, double share) {
  detail::check_scaled_aggregate(rowptr, col, row_scale, col_scale, h);
  const OnDevice device(h);
  const at::Tensor out = start.contiguous() * share;
  list_sum(
      {rowptr, col, row_scale.contiguous(), col_scale.contiguous(), {}, {}},
      h.contiguous(), out, /*before=*/out);
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("scaled_aggregate", scaled_aggregate);
  m.impl("propagation_step", propagation_step);
}

}  // namespace ordered_gnn::cuda
