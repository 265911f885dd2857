// Products run through cuBLAS, in halves for [a ; b] so that the concatenation
// is never built. Its results are the same in every run on one stream.
#include "ops/detail/linear.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  detail::check_linear(x, weight, bias);
  const OnDevice device(x);
  return at::addmm(bias, x, weight.t());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
    bool need_grad_x) {
  const OnDevice device(x);
  return {need_grad_x ? at::mm(grad, weight) : at::Tensor(),
          at::mm(grad.t(), x), column_sums(grad)};
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  detail::check_pair_linear(a, b, weight, bias);
  const OnDevice device(a);
  at::Tensor out = at::addmm(bias, a, weight.narrow(1, 0, a.size(1)).t());
  return out.addmm_(b, weight.narrow(1, a.size(1), b.size(1)).t());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight) {
  const OnDevice device(a);
  const at::Tensor grad_weight = at::empty(weight.sizes(), weight.options());
  at::Tensor half_a = grad_weight.narrow(1, 0, a.size(1));
  at::Tensor half_b = grad_weight.narrow(1, a.size(1), b.size(1));
  at::mm_out(half_a, grad.t(), a);
  at::mm_out(half_b, grad.t(), b);
  return {at::mm(grad, weight.narrow(1, 0, a.size(1))),
          at::mm(grad, weight.narrow(1, a.size(1), b.size(1))), grad_weight,
          column_sums(grad)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("linear", linear);
  m.impl("linear_backward", linear_backward);
  m.impl("pair_linear", pair_linear);
  m.impl("pair_linear_backward", pair_linear_backward);
}

}  // namespace ordered_gnn::cuda
