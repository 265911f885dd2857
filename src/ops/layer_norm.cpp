#include "ordered_gnn/ops/layer_norm.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/dropout.h"
#include "ops/detail/layer_norm.h"

namespace ordered_gnn {
namespace detail {

void check_layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double p) {
  constexpr const char* kOp = "layer_norm";
  check_dropout(p);
  check_rows_type(kOp, "x", x);
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, kOp,
              ": x must be [N, D] with D at least 1, got ", x.sizes());
  check_shape(kOp, "weight", weight, {x.size(1)});
  check_shape(kOp, "bias", bias, {x.size(1)});
  check_parameter(kOp, "weight", weight, "x", x);
  check_parameter(kOp, "bias", bias, "x", x);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    double eps, bool relu, double p, int64_t seed, int64_t step, int64_t site) {
  static const auto op =
      find_op<decltype(layer_norm)>("ordered_gnn::layer_norm");
  return op.call(x, weight, bias, eps, relu, p, seed, step, site);
}

at::Tensor layer_norm_again(const at::Tensor& x, const at::Tensor& mean,
                            const at::Tensor& rstd, const at::Tensor& weight,
                            const at::Tensor& bias, double eps, bool relu,
                            double p, int64_t seed, int64_t step,
                            int64_t site) {
  static const auto op =
      find_op<decltype(layer_norm_again)>("ordered_gnn::layer_norm_again");
  return op.call(x, mean, rstd, weight, bias, eps, relu, p, seed, step, site);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight, bool relu, double p,
    int64_t seed, int64_t step, int64_t site) {
  static const auto op = find_op<decltype(layer_norm_backward)>(
      "ordered_gnn::layer_norm_backward");
  return op.call(grad, x, mean, rstd, weight, relu, p, seed, step, site);
}

LayerNormUndone layer_norm_undo(const at::Tensor& grad, const at::Tensor& x,
                                const at::Tensor& mean, const at::Tensor& rstd,
                                const at::Tensor& weight,
                                const at::Tensor& bias, double eps, bool relu,
                                double p, int64_t seed, int64_t step,
                                int64_t site, bool need_parameters,
                                bool need_out, bool reuse_memory) {
  static const auto op =
      find_op<decltype(layer_norm_undo)>("ordered_gnn::layer_norm_undo");
  return op.call(grad, x, mean, rstd, weight, bias, eps, relu, p, seed, step,
                 site, need_parameters, need_out, reuse_memory);
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
  const DropoutKey& key = settings.dropout_key;
  return std::get<0>(detail::layer_norm(x, weight, bias, settings.eps,
                                        settings.relu, settings.dropout,
                                        key.seed, key.step, key.site));
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "layer_norm(Tensor x, Tensor weight, Tensor bias, float eps, bool relu, "
      "float p, int seed, int step, int site) -> (Tensor, Tensor, Tensor)");
  m.def(
      "layer_norm_again(Tensor x, Tensor mean, Tensor rstd, Tensor weight, "
      "Tensor bias, float eps, bool relu, float p, int seed, int step, "
      "int site) -> Tensor");
  m.def(
      "layer_norm_backward(Tensor grad, Tensor x, Tensor mean, Tensor rstd, "
      "Tensor weight, bool relu, float p, int seed, int step, int site) "
      "-> (Tensor, Tensor, Tensor)");
  m.def(
      "layer_norm_undo(Tensor(a!) grad, Tensor x, Tensor mean, Tensor rstd, "
      "Tensor weight, Tensor bias, float eps, bool relu, float p, int seed, "
      "int step, int site, bool need_parameters, bool need_out, "
      "bool reuse_memory) -> (Tensor(a!), Tensor, Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
