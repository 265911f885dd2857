#include "ordered_gnn/ops/layer_norm.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/layer_norm.h"

namespace ordered_gnn {
namespace detail {

void check_layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias) {
  constexpr const char* kOp = "layer_norm";
  check_float(kOp, "x", x);
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, kOp,
              ": x must be [N, D] with D at least 1, got ", x.sizes());
  check_shape(kOp, "weight", weight, {x.size(1)});
  check_shape(kOp, "bias", bias, {x.size(1)});
  check_like(kOp, "weight", weight, "x", x);
  check_like(kOp, "bias", bias, "x", x);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    double eps) {
  static const auto op =
      find_op<decltype(layer_norm)>("ordered_gnn::layer_norm");
  return op.call(x, weight, bias, eps);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight) {
  static const auto op = find_op<decltype(layer_norm_backward)>(
      "ordered_gnn::layer_norm_backward");
  return op.call(grad, x, mean, rstd, weight);
}

}  // namespace detail

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double eps) {
  return std::get<0>(detail::layer_norm(x, weight, bias, eps));
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "layer_norm(Tensor x, Tensor weight, Tensor bias, float eps) "
      "-> (Tensor, Tensor, Tensor)");
  m.def(
      "layer_norm_backward(Tensor grad, Tensor x, Tensor mean, Tensor rstd, "
      "Tensor weight) -> (Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
