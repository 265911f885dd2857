// Work split: rows of the sparse list, balanced by entries; the weight
// gradient owns one feature per row of the transposed list.
// Memory: gathers rows of W^T (or of the gradient); X is never made dense.
// Determinism: entries are added in list order, masks follow from indices.
#include "ops/detail/feature_linear.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/blocks.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/row_sum_kernel.h"

namespace ordered_gnn::cpu {
namespace {

// How entry (row, col) of a list maps to the element of the dense matrix that
// numbers its dropout mask: row * row_stride + col * col_stride.
struct MaskStrides {
  int64_t row;
  int64_t col;
};

// The values of a sparse list after dropout, in the type T.
template <typename T>
at::Tensor dropped_values(const at::Tensor& rowptr, const at::Tensor& col,
                          const at::Tensor& value, double p,
                          const DropoutKey& key, const MaskStrides& stride) {
  const at::Tensor out = value.to(c10::CppTypeToScalarType<T>::value,
                                  /*non_blocking=*/false, /*copy=*/true);
  if (p == 0) return out;
  const kernels::DropoutMask mask(key, p);
  const int64_t* const first = rowptr.data_ptr<int64_t>();
  const int32_t* const column = col.data_ptr<int32_t>();
  T* const values = out.data_ptr<T>();
  const T scale = static_cast<T>(mask.scale);
  parallel_rows(first, rowptr.numel() - 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t e = first[row]; e < first[row + 1]; ++e) {
        const int64_t element = row * stride.row + column[e] * stride.col;
        values[e] = mask.keeps(element) ? values[e] * scale : T(0);
      }
    }
  });
  return out;
}

// out[r] = bias + sum_e weight[e] * dense[col[e]].
template <typename T>
at::Tensor gather_rows(const at::Tensor& rowptr, const at::Tensor& col,
                       const at::Tensor& weight, const at::Tensor& dense,
                       const T* bias) {
  const int64_t num_rows = rowptr.numel() - 1;
  const at::Tensor out = at::empty({num_rows, dense.size(1)}, dense.options());
  kernels::RowSum<T, int32_t> job;
  job.rowptr = rowptr.data_ptr<int64_t>();
  job.col = col.data_ptr<int32_t>();
  job.edge_weight = weight.data_ptr<T>();
  job.bias = bias;
  job.h = dense.data_ptr<T>();
  job.out = out.data_ptr<T>();
  job.dim = dense.size(1);
  parallel_rows(job.rowptr, num_rows, [&](int64_t begin, int64_t end) {
    ORDERED_GNN_SIMD_CALL(row_sum(job, begin, end));
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
  const at::Tensor weight_rows = weight.t().contiguous();
  const at::Tensor shift = bias.contiguous();
  at::Tensor out;
  AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "feature_linear", [&] {
    const at::Tensor values =
        dropped_values<scalar_t>(rowptr, col, value, p, {seed, step, site},
                                 {/*row=*/weight.size(1), /*col=*/1});
    out = gather_rows(rowptr, col, values, weight_rows,
                      shift.data_ptr<scalar_t>());
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const at::Tensor& t_value, const at::Tensor& grad, double p, int64_t seed,
    int64_t step, int64_t site) {
  const at::Tensor grads = grad.contiguous();
  const int64_t num_features = t_rowptr.numel() - 1;
  at::Tensor grad_weight_rows;
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "feature_linear", [&] {
    const at::Tensor values = dropped_values<scalar_t>(
        t_rowptr, t_col, t_value, p, {seed, step, site},
        {/*row=*/1, /*col=*/num_features});
    grad_weight_rows = gather_rows<scalar_t>(t_rowptr, t_col, values, grads,
                                             /*bias=*/nullptr);
  });
  return {grad_weight_rows.t(), column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("sparse_linear", sparse_linear);
  m.impl("sparse_linear_backward", sparse_linear_backward);
}

}  // namespace ordered_gnn::cpu
