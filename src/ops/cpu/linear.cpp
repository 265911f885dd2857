#include "ops/detail/linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/bf16/pair_linear.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/gemm.h"
#include "ops/detail/optional.h"

namespace ordered_gnn::cpu {
namespace {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  detail::check_linear(x, weight, bias);
  if (bf16::is_stored_as(x)) return bf16::affine(x, weight, bias);
  return affine(x.contiguous(), weight, bias);
}

at::Tensor linear_input_gradient(const at::Tensor& grad,
                                 const at::Tensor& weight) {
  return bf16::is_stored_as(grad) ? bf16::input_gradient(grad, weight)
                                  : input_gradient(grad.contiguous(), weight);
}

at::Tensor linear_weight_gradient(const at::Tensor& grad, const at::Tensor& x) {
  if (bf16::is_stored_as(grad)) return bf16::weight_gradient(grad, x);
  at::Tensor out = at::empty({grad.size(1), x.size(1)}, x.options());
  weight_gradient(grad.contiguous(), x.contiguous(), out);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
    bool need_grad_x) {
  const at::Tensor grads = grad.contiguous();
  return {
      need_grad_x ? linear_input_gradient(grads, weight) : detail::left_out(x),
      linear_weight_gradient(grads, x), column_sums(grads)};
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  detail::check_pair_linear(a, b, weight, bias);
  if (bf16::is_stored_as(a)) return bf16::pair_linear(a, b, weight, bias);
  at::Tensor out = affine(a.contiguous(), weight.narrow(1, 0, a.size(1)), bias);
  add_product(b.contiguous(), weight.narrow(1, a.size(1), b.size(1)), out);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight) {
  const at::Tensor grads = grad.contiguous();
  if (bf16::is_stored_as(grads)) {
    return bf16::pair_linear_backward(grads, a, b, weight);
  }
  const at::Tensor weight_a = weight.narrow(1, 0, a.size(1));
  const at::Tensor weight_b = weight.narrow(1, a.size(1), b.size(1));
  const at::Tensor grad_weight = at::empty(weight.sizes(), weight.options());
  at::Tensor grad_weight_a = grad_weight.narrow(1, 0, a.size(1));
  at::Tensor grad_weight_b = grad_weight.narrow(1, a.size(1), b.size(1));
  weight_gradient(grads, a.contiguous(), grad_weight_a);
  weight_gradient(grads, b.contiguous(), grad_weight_b);
  return {input_gradient(grads, weight_a), input_gradient(grads, weight_b),
          grad_weight, column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("linear", linear);
  m.impl("linear_backward", linear_backward);
  m.impl("linear_input_gradient", linear_input_gradient);
  m.impl("linear_weight_gradient", linear_weight_gradient);
  m.impl("pair_linear", pair_linear);
  m.impl("pair_linear_backward", pair_linear_backward);
}

}  // namespace ordered_gnn::cpu
