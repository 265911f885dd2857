#include "ops/detail/feature_linear.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/row_sum.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

// A sparse matrix whose entry at (row r, column c of the list) is the element
// r * row_stride + c * col_stride of the features, by which dropout knows it.
struct FeatureList {
  at::Tensor rowptr, col, value;
  int64_t row_stride, col_stride;
};

// out[r] = bias + sum_e dropout(value[e]) * dense[col[e]]; bias may be
// undefined.
at::Tensor gather_rows(const FeatureList& list, const DropoutMask& mask,
                       const at::Tensor& dense, const at::Tensor& bias) {
  const OnDevice device(dense);
  const int64_t rows = list.rowptr.numel() - 1;
  const at::Tensor out = at::empty({rows, dense.size(1)}, dense.options());
  AT_DISPATCH_FLOATING_TYPES(dense.scalar_type(), "feature_linear", [&] {
    RowSum<scalar_t, int32_t> job;
    job.rowptr = list.rowptr.data_ptr<int64_t>();
    job.col = list.col.data_ptr<int32_t>();
    job.entry = list.value.data_ptr<float>();
    job.mask = mask;
    job.row_stride = list.row_stride;
    job.col_stride = list.col_stride;
    job.bias = pointer_of<scalar_t>(bias);
    job.h = dense.data_ptr<scalar_t>();
    job.out = out.data_ptr<scalar_t>();
    job.rows = rows;
    job.entries = list.col.numel();
    job.dim = width_of(dense);
    C10_CUDA_CHECK(launch_row_sum(job, device.stream()));
  });
  return out;
}

at::Tensor sparse_linear(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& value, const at::Tensor& t_rowptr,
                         const at::Tensor& /*t_col*/,
                         const at::Tensor& /*t_value*/,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p, int64_t seed, int64_t step, int64_t site) {
  detail::check_sparse_linear(rowptr, t_rowptr, weight, bias, p);
  const OnDevice device(weight);
  return gather_rows({rowptr, col, value, /*row_stride=*/weight.size(1),
                      /*col_stride=*/1},
                     DropoutMask({seed, step, site}, p),
                     weight.t().contiguous(), bias.contiguous());
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const at::Tensor& t_value, const at::Tensor& grad, double p, int64_t seed,
    int64_t step, int64_t site) {
  const OnDevice device(grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor grad_weight_rows =
      gather_rows({t_rowptr, t_col, t_value, /*row_stride=*/1,
                   /*col_stride=*/t_rowptr.numel() - 1},
                  DropoutMask({seed, step, site}, p), grads, at::Tensor());
  return {grad_weight_rows.t(), column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("sparse_linear", sparse_linear);
  m.impl("sparse_linear_backward", sparse_linear_backward);
}

}  // namespace ordered_gnn::cuda
