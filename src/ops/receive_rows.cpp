#include "ops/detail/receive_rows.h"

#include <torch/library.h>

#include "ops/detail/arguments.h"

namespace ordered_gnn {
namespace detail {

std::tuple<at::Tensor, at::Tensor, at::Tensor> receive_rows(
    const ReceiveRowsArguments& arguments) {
  return call_op<receive_rows>("receive_rows", arguments);
}

std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const ReceiveRowsBackwardArguments& arguments) {
  return call_op<receive_rows_backward>("receive_rows_backward", arguments);
}

}  // namespace detail

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "receive_rows(Tensor nodes, Tensor rowptr, Tensor col, "
      "Tensor t_rowptr, Tensor t_col, Tensor? row_scale, Tensor? col_scale, "
      "Tensor h, Tensor? prev_gate) -> (Tensor, Tensor, Tensor)");
  m.def(
      "receive_rows_backward(Tensor nodes, Tensor place, Tensor rowptr, "
      "Tensor col, Tensor t_rowptr, Tensor t_col, Tensor? row_scale, "
      "Tensor? col_scale, Tensor grad_own, Tensor grad_m, "
      "Tensor? grad_prev) -> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
