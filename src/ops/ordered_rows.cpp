#include "ops/detail/ordered_rows.h"

#include <torch/library.h>

namespace ordered_gnn {
namespace detail {

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const OrderedRowsArguments& arguments) {
  return call_op<ordered_rows>("ordered_rows", arguments);
}

OrderedRowsGradients ordered_rows_backward(
    const OrderedRowsBackwardArguments& arguments) {
  return call_op<ordered_rows_backward>("ordered_rows_backward", arguments);
}

}  // namespace detail

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_rows(Tensor nodes, Tensor m, Tensor h, Tensor? prev_gate, "
      "Tensor gate_weight, Tensor gate_bias, Tensor norm_weight, "
      "Tensor norm_bias, int mode, float eps, float p, int seed, int step, "
      "Tensor? step_tensor, int site) "
      "-> (Tensor, Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_rows_backward(Tensor nodes, Tensor h, Tensor? prev_gate, "
      "Tensor gate_weight, Tensor norm_weight, Tensor(b!) gate, Tensor? m, "
      "Tensor(c!) logits, Tensor mean, Tensor rstd, int mode, float p, "
      "int seed, int step, Tensor? step_tensor, int site, "
      "Tensor(a!) grad_out) "
      "-> (Tensor(a!), Tensor, Tensor(b!), Tensor, Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
