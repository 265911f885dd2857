#include "ordered_gnn/ops/linear.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/linear.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {
namespace {

// `width` columns of the weight must match the inputs together.
void check_parameters(const char* op, const at::Tensor& x, int64_t width,
                      const at::Tensor& weight, const at::Tensor& bias) {
  TORCH_CHECK(weight.dim() == 2 && weight.size(1) == width, op,
              ": weight must be [O, ", width, "] to match the input, got ",
              weight.sizes());
  check_shape(op, "bias", bias, {weight.size(0)});
  check_parameter(op, "weight", weight, "the input", x);
  check_parameter(op, "bias", bias, "the input", x);
}

}  // namespace

void check_linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  constexpr const char* kOp = "linear";
  check_rows_type(kOp, "x", x);
  TORCH_CHECK(x.dim() == 2, kOp, ": x must be [N, I], got ", x.sizes());
  check_parameters(kOp, x, x.size(1), weight, bias);
}

void check_pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  constexpr const char* kOp = "pair_linear";
  check_rows_type(kOp, "a", a);
  TORCH_CHECK(a.dim() == 2, kOp, ": a must be [N, A], got ", a.sizes());
  TORCH_CHECK(b.dim() == 2 && b.size(0) == a.size(0), kOp, ": b must be [",
              a.size(0), ", B] to match a, got ", b.sizes());
  check_like(kOp, "b", b, "a", a);
  check_parameters(kOp, a, a.size(1) + b.size(1), weight, bias);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  static const auto op = find_op<decltype(linear)>("ordered_gnn::linear");
  return op.call(x, weight, bias);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
    bool need_grad_x) {
  static const auto op =
      find_op<decltype(linear_backward)>("ordered_gnn::linear_backward");
  auto results = op.call(grad, x, weight, need_grad_x);
  if (!need_grad_x) std::get<0>(results) = at::Tensor();
  return results;
}

at::Tensor linear_input_gradient(const at::Tensor& grad,
                                 const at::Tensor& weight) {
  static const auto op = find_op<decltype(linear_input_gradient)>(
      "ordered_gnn::linear_input_gradient");
  return op.call(grad, weight);
}

at::Tensor linear_weight_gradient(const at::Tensor& grad, const at::Tensor& x) {
  static const auto op = find_op<decltype(linear_weight_gradient)>(
      "ordered_gnn::linear_weight_gradient");
  return op.call(grad, x);
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  static const auto op =
      find_op<decltype(pair_linear)>("ordered_gnn::pair_linear");
  return op.call(a, b, weight, bias);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight) {
  static const auto op = find_op<decltype(pair_linear_backward)>(
      "ordered_gnn::pair_linear_backward");
  return op.call(grad, a, b, weight);
}

}  // namespace detail

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  return detail::linear(x, weight, bias);
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  return detail::pair_linear(a, b, weight, bias);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def("linear(Tensor x, Tensor weight, Tensor bias) -> Tensor",
        detail::traceable());
  m.def(
      "linear_backward(Tensor grad, Tensor x, Tensor weight, "
      "bool need_grad_x) -> (Tensor, Tensor, Tensor)",
      detail::traceable());
  m.def("linear_input_gradient(Tensor grad, Tensor weight) -> Tensor",
        detail::traceable());
  m.def("linear_weight_gradient(Tensor grad, Tensor x) -> Tensor",
        detail::traceable());
  m.def(
      "pair_linear(Tensor a, Tensor b, Tensor weight, Tensor bias) "
      "-> Tensor",
      detail::traceable());
  m.def(
      "pair_linear_backward(Tensor grad, Tensor a, Tensor b, Tensor weight) "
      "-> (Tensor, Tensor, Tensor, Tensor)",
      detail::traceable());
}

}  // namespace ordered_gnn
