#include "ordered_gnn/ops/feature_linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/dropout.h"
#include "ops/detail/feature_linear.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {
namespace detail {

void check_sparse_linear(const at::Tensor& rowptr, const at::Tensor& t_rowptr,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p) {
  constexpr const char* kOp = "feature_linear";
  const int64_t num_features = t_rowptr.numel() - 1;
  check_dropout(p);
  check_float(kOp, "weight", weight);
  TORCH_CHECK(weight.dim() == 2 && weight.size(1) == num_features, kOp,
              ": weight must be [D, ", num_features,
              "] to match the features, got ", weight.sizes());
  check_shape(kOp, "bias", bias, {weight.size(0)});
  check_like(kOp, "bias", bias, "weight", weight);
  TORCH_CHECK(weight.device() == rowptr.device(), kOp, ": weight is on ",
              weight.device(), " but the features are on ", rowptr.device(),
              "; move one of them");
}

at::Tensor sparse_linear(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& value, const at::Tensor& t_rowptr,
                         const at::Tensor& t_col, const at::Tensor& t_value,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p, int64_t seed, int64_t step, int64_t site) {
  static const auto op =
      find_op<decltype(sparse_linear)>("ordered_gnn::sparse_linear");
  return op.call(rowptr, col, value, t_rowptr, t_col, t_value, weight, bias, p,
                 seed, step, site);
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const at::Tensor& t_value, const at::Tensor& grad, double p, int64_t seed,
    int64_t step, int64_t site) {
  static const auto op = find_op<decltype(sparse_linear_backward)>(
      "ordered_gnn::sparse_linear_backward");
  return op.call(t_rowptr, t_col, t_value, grad, p, seed, step, site);
}

}  // namespace detail

at::Tensor dense_rows(const NodeFeatures& features, const at::Tensor& weight) {
  const at::Tensor& x = features.dense_values();
  // Rows stay in bfloat16, with parameters in float.
  return x.scalar_type() == at::kBFloat16 ? x : x.to(weight.scalar_type());
}

at::Tensor feature_linear(const NodeFeatures& features,
                          const at::Tensor& weight, const at::Tensor& bias,
                          double p, const DropoutKey& key) {
  if (features.kind() == NodeFeatures::Kind::dense) {
    return linear(dropout(dense_rows(features, weight), p, key), weight, bias);
  }
  const SparseRows& rows = features.rows();
  const SparseRows& columns = features.columns();
  return detail::sparse_linear(rows.rowptr, rows.col, rows.value,
                               columns.rowptr, columns.col, columns.value,
                               weight, bias, p, key.seed, key.step, key.site);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "sparse_linear(Tensor rowptr, Tensor col, Tensor value, "
      "Tensor t_rowptr, Tensor t_col, Tensor t_value, Tensor weight, "
      "Tensor bias, float p, int seed, int step, int site) -> Tensor");
  m.def(
      "sparse_linear_backward(Tensor t_rowptr, Tensor t_col, Tensor t_value, "
      "Tensor grad, float p, int seed, int step, int site) "
      "-> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
