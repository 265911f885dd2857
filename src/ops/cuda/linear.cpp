// In halves for [a ; b], so that the concatenation is never built.
#include "ops/detail/linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/products.h"
#include "ops/cuda/sums.h"
#include "ops/detail/optional.h"

namespace ordered_gnn::cuda {
namespace {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  detail::check_linear(x, weight, bias);
  const OnDevice device(x);
  return affine(x, weight, bias);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
    bool need_grad_x) {
  const OnDevice device(x);
  return {need_grad_x ? input_gradient(grad, weight) : detail::left_out(x),
          weight_gradient(grad, x), column_sums(grad)};
}

at::Tensor linear_input_gradient(const at::Tensor& grad,
                                 const at::Tensor& weight) {
  const OnDevice device(grad);
  return input_gradient(grad, weight);
}

at::Tensor linear_weight_gradient(const at::Tensor& grad, const at::Tensor& x) {
  const OnDevice device(x);
  return weight_gradient(grad, x);
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  detail::check_pair_linear(a, b, weight, bias);
  const OnDevice device(a);
  return pair_affine(a, b, weight, bias);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight) {
  const OnDevice device(a);
  const int64_t width = a.size(1);
  return {input_gradient(grad, weight.narrow(1, 0, width)),
          input_gradient(grad, weight.narrow(1, width, b.size(1))),
          pair_weight_gradient(grad, a, b), column_sums(grad)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("linear", linear);
  m.impl("linear_backward", linear_backward);
  m.impl("linear_input_gradient", linear_input_gradient);
  m.impl("linear_weight_gradient", linear_weight_gradient);
  m.impl("pair_linear", pair_linear);
  m.impl("pair_linear_backward", pair_linear_backward);
}

}  // namespace ordered_gnn::cuda
