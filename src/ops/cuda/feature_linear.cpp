#include "ops/detail/feature_linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/row_sum.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

// A sparse matrix whose entry at (row r, column c of the list) is the element
// r * row_stride + c * col_stride of the features, by which dropout knows it.
struct FeatureList {
  at::Tensor rowptr, col, value;
  int64_t row_stride, col_stride;
};

// out[r] = bias + sum_e dropout(value[e]) * dense[col[e]], stored as Out; bias
// may be undefined. In and Out are LibTorch's types.
template <typename In, typename Out>
at::Tensor gather_rows(const FeatureList& list, const DropoutMask& mask,
                       const at::Tensor& dense, const at::Tensor& bias) {
  const OnDevice device(dense);
  const int64_t rows = list.rowptr.numel() - 1;
  const at::Tensor out =
      at::empty({rows, dense.size(1)},
                dense.options().dtype(c10::CppTypeToScalarType<Out>::value));
  RowSum<Kernel<In>, Kernel<Out>, int32_t> job;
  job.rowptr = list.rowptr.data_ptr<int64_t>();
  job.col = list.col.data_ptr<int32_t>();
  if (list.value.scalar_type() == at::kBFloat16) {
    job.entry_half = rows_of<at::BFloat16>(list.value);
  } else {
    job.entry = list.value.data_ptr<float>();
  }
  job.mask = mask;
  job.row_stride = list.row_stride;
  job.col_stride = list.col_stride;
  job.bias = pointer_of<Compute<Kernel<Out>>>(bias);
  job.h = rows_of<In>(dense);
  job.out = rows_of<Out>(out);
  job.rows = rows;
  job.h_rows = dense.size(0);
  job.entries = list.col.numel();
  job.dim = width_of(dense);
  C10_CUDA_CHECK(launch_row_sum(job, device.stream()));
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
  const FeatureList list = {rowptr, col, value, /*row_stride=*/weight.size(1),
                            /*col_stride=*/1};
  const DropoutMask mask({seed, step, site}, p);
  const at::Tensor dense = weight.t().contiguous();
  const at::Tensor shift = bias.contiguous();
  // Rows are stored like the features, parameters stay in float.
  if (value.scalar_type() == at::kBFloat16) {
    return gather_rows<float, at::BFloat16>(list, mask, dense, shift);
  }
  return weight.scalar_type() == at::kDouble
             ? gather_rows<double, double>(list, mask, dense, shift)
             : gather_rows<float, float>(list, mask, dense, shift);
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const at::Tensor& t_value, const at::Tensor& grad, double p, int64_t seed,
    int64_t step, int64_t site) {
  const OnDevice device(grad);
  const at::Tensor grads = grad.contiguous();
  const FeatureList list = {t_rowptr, t_col, t_value, /*row_stride=*/1,
                            /*col_stride=*/t_rowptr.numel() - 1};
  const DropoutMask mask({seed, step, site}, p);
  const auto gather =
      grad.scalar_type() == at::kBFloat16 ? gather_rows<at::BFloat16, float>
      : grad.scalar_type() == at::kDouble ? gather_rows<double, double>
                                          : gather_rows<float, float>;
  return {gather(list, mask, grads, at::Tensor()).t(), column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("sparse_linear", sparse_linear);
  m.impl("sparse_linear_backward", sparse_linear_backward);
}

}  // namespace ordered_gnn::cuda
