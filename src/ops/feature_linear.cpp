#include "ordered_gnn/ops/feature_linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/feature_linear.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {
namespace detail {

void check_sparse_linear(const SparseLinearArguments& arguments) {
  constexpr const char* kOp = "feature_linear";
  const at::Tensor &weight = arguments.weight, &bias = arguments.bias;
  const int64_t num_features = arguments.columns.rowptr.numel() - 1;
  const at::Device device = arguments.rows.rowptr.device();
  check_dropout(arguments.dropout, device);
  check_float(kOp, "weight", weight);
  TORCH_CHECK(weight.dim() == 2 && weight.size(1) == num_features, kOp,
              ": weight must be [D, ", num_features,
              "] to match the features, got ", weight.sizes());
  check_shape(kOp, "bias", bias, {weight.size(0)});
  check_like(kOp, "bias", bias, "weight", weight);
  TORCH_CHECK(weight.device() == device, kOp, ": weight is on ",
              weight.device(), " but the features are on ", device,
              "; move one of them");
}

at::Tensor sparse_linear(const SparseLinearArguments& arguments) {
  return call_op<sparse_linear>("sparse_linear", arguments);
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const SparseLinearBackwardArguments& arguments) {
  return call_op<sparse_linear_backward>("sparse_linear_backward", arguments);
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
  return detail::sparse_linear(
      {features.rows(), features.columns(), weight, bias, {p, key}});
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "sparse_linear(Tensor rowptr, Tensor col, Tensor value, "
      "Tensor t_rowptr, Tensor t_col, Tensor t_value, Tensor weight, "
      "Tensor bias, float p, int seed, int step, Tensor? step_tensor, "
      "int site) -> Tensor");
  m.def(
      "sparse_linear_backward(Tensor t_rowptr, Tensor t_col, Tensor t_value, "
      "Tensor grad, float p, int seed, int step, Tensor? step_tensor, "
      "int site) -> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
