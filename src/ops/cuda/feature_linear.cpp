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
  SparseRows rows;
  int64_t row_stride, col_stride;
  // The nodes that its rows or columns are of; null: those of their numbers.
  const int64_t* row_of = nullptr;
  const int64_t* col_of = nullptr;
};

// out[r] = bias + sum_e dropout(value[e]) * dense[col[e]], stored as Out; bias
// may be undefined. In and Out are LibTorch's types.
template <typename In, typename Out>
at::Tensor gather_rows(const FeatureList& list, const DropoutMask& mask,
                       const at::Tensor& dense, const at::Tensor& bias) {
  const OnDevice device(dense);
  const int64_t rows = list.rows.rowptr.numel() - 1;
  const at::Tensor out =
      at::empty({rows, dense.size(1)},
                dense.options().dtype(c10::CppTypeToScalarType<Out>::value));
  RowSum<Kernel<In>, Kernel<Out>, int32_t> job;
  job.rowptr = list.rows.rowptr.data_ptr<int64_t>();
  job.col = list.rows.col.data_ptr<int32_t>();
  if (list.rows.value.scalar_type() == at::kBFloat16) {
    job.entry_half = rows_of<at::BFloat16>(list.rows.value);
  } else {
    job.entry = list.rows.value.data_ptr<float>();
  }
  job.mask = mask;
  job.row_stride = list.row_stride;
  job.col_stride = list.col_stride;
  job.row_of = list.row_of;
  job.col_of = list.col_of;
  job.bias = pointer_of<Compute<Kernel<Out>>>(bias);
  job.h = rows_of<In>(dense);
  job.out = rows_of<Out>(out);
  job.rows = rows;
  job.h_rows = dense.size(0);
  job.entries = list.rows.col.numel();
  job.dim = width_of(dense);
  C10_CUDA_CHECK(launch_row_sum(job, device.stream()));
  return out;
}

at::Tensor sparse_linear(const detail::SparseLinearArguments& arguments) {
  detail::check_sparse_linear(arguments);
  const at::Tensor& weight = arguments.weight;
  const OnDevice device(weight);
  FeatureList list = {arguments.rows, /*row_stride=*/weight.size(1),
                      /*col_stride=*/1};
  list.row_of = arguments.dropout.nodes(arguments.rows.rowptr.numel() - 1);
  const DropoutMask mask = mask_of(arguments.dropout);
  const at::Tensor dense = weight.t().contiguous();
  const at::Tensor shift = arguments.bias.contiguous();
  // Rows are stored like the features, parameters stay in float.
  if (arguments.rows.value.scalar_type() == at::kBFloat16) {
    return gather_rows<float, at::BFloat16>(list, mask, dense, shift);
  }
  return weight.scalar_type() == at::kDouble
             ? gather_rows<double, double>(list, mask, dense, shift)
             : gather_rows<float, float>(list, mask, dense, shift);
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const detail::SparseLinearBackwardArguments& arguments) {
  const at::Tensor& grad = arguments.grad;
  const OnDevice device(grad);
  const at::Tensor grads = grad.contiguous();
  FeatureList list = {arguments.columns, /*row_stride=*/1,
                      /*col_stride=*/arguments.columns.rowptr.numel() - 1};
  list.col_of = arguments.dropout.nodes(grads.size(0));
  const DropoutMask mask = mask_of(arguments.dropout);
  const auto gather =
      grad.scalar_type() == at::kBFloat16 ? gather_rows<at::BFloat16, float>
      : grad.scalar_type() == at::kDouble ? gather_rows<double, double>
                                          : gather_rows<float, float>;
  return {gather(list, mask, grads, at::Tensor()).t(), column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("sparse_linear", detail::registered<sparse_linear>);
  m.impl("sparse_linear_backward", detail::registered<sparse_linear_backward>);
}

}  // namespace ordered_gnn::cuda
