#include "ordered_gnn/ops/layer_norm.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/layer_norm.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

void check_layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, const Dropout& dropout) {
  constexpr const char* kOp = "layer_norm";
  check_dropout(dropout, x.device());
  check_rows_type(kOp, "x", x);
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, kOp,
              ": x must be [N, D] with D at least 1, got ", x.sizes());
  check_shape(kOp, "weight", weight, {x.size(1)});
  check_shape(kOp, "bias", bias, {x.size(1)});
  check_parameter(kOp, "weight", weight, "x", x);
  check_parameter(kOp, "bias", bias, "x", x);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const LayerNormArguments& arguments) {
  return call_op<layer_norm>("layer_norm", arguments);
}

at::Tensor layer_norm_again(const LayerNormAgainArguments& arguments) {
  return call_op<layer_norm_again>("layer_norm_again", arguments);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const LayerNormBackwardArguments& arguments) {
  return call_op<layer_norm_backward>("layer_norm_backward", arguments);
}

LayerNormUndone layer_norm_undo(const LayerNormUndoArguments& arguments) {
  return call_op<layer_norm_undo>("layer_norm_undo", arguments);
}

}  // namespace detail

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double eps) {
  LayerNormSettings settings;
  settings.eps = eps;
  return layer_norm(x, weight, bias, settings);
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias,
                      const LayerNormSettings& settings) {
  return std::get<0>(
      detail::layer_norm({x,
                          weight,
                          bias,
                          settings.eps,
                          settings.relu,
                          {settings.dropout, settings.dropout_key}}));
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "layer_norm(Tensor x, Tensor weight, Tensor bias, float eps, bool relu, "
      "float p, int seed, int step, Tensor? step_tensor, int site) "
      "-> (Tensor, Tensor, Tensor)",
      detail::traceable());
  m.def(
      "layer_norm_again(Tensor x, Tensor weight, Tensor bias, float eps, "
      "bool relu, float p, int seed, int step, Tensor? step_tensor, int site, "
      "Tensor mean, Tensor rstd) -> Tensor",
      detail::traceable());
  m.def(
      "layer_norm_backward(Tensor grad, Tensor x, Tensor mean, Tensor rstd, "
      "Tensor weight, bool relu, float p, int seed, int step, "
      "Tensor? step_tensor, int site) -> (Tensor, Tensor, Tensor)",
      detail::traceable());
  m.def(
      "layer_norm_undo(Tensor(a!) grad, Tensor x, Tensor weight, Tensor bias, "
      "float eps, bool relu, float p, int seed, int step, "
      "Tensor? step_tensor, int site, Tensor mean, Tensor rstd, "
      "bool need_parameters, bool need_out, bool reuse_memory) "
      "-> (Tensor(a!), Tensor, Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
