#include "ops/detail/receive_rows.h"

#include <torch/library.h>

#include "ops/detail/dispatch.h"

namespace ordered_gnn {
namespace detail {

std::tuple<at::Tensor, at::Tensor, at::Tensor> receive_rows(
    const at::Tensor& nodes, const at::Tensor& rowptr, const at::Tensor& col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate) {
  static const auto op =
      find_op<decltype(receive_rows)>("ordered_gnn::receive_rows");
  return op.call(nodes, rowptr, col, row_scale, col_scale, h, prev_gate);
}

std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const at::Tensor& nodes, const at::Tensor& place,
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& grad_own,
    const at::Tensor& grad_m, const optional<at::Tensor>& grad_prev) {
  static const auto op = find_op<decltype(receive_rows_backward)>(
      "ordered_gnn::receive_rows_backward");
  return op.call(nodes, place, t_rowptr, t_col, row_scale, col_scale, grad_own,
                 grad_m, grad_prev);
}

}  // namespace detail

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "receive_rows(Tensor nodes, Tensor rowptr, Tensor col, "
      "Tensor? row_scale, Tensor? col_scale, Tensor h, Tensor? prev_gate) "
      "-> (Tensor, Tensor, Tensor)");
  m.def(
      "receive_rows_backward(Tensor nodes, Tensor place, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor grad_own, "
      "Tensor grad_m, Tensor? grad_prev) -> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
