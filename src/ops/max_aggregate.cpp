#include "ordered_gnn/ops/max_aggregate.h"

#include <torch/library.h>

#include "ops/detail/dispatch.h"
#include "ops/detail/max_aggregate.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

std::tuple<at::Tensor, at::Tensor> max_aggregate(const at::Tensor& rowptr,
                                                 const at::Tensor& col,
                                                 const at::Tensor& t_rowptr,
                                                 const at::Tensor& t_col,
                                                 const at::Tensor& h) {
  static const auto op =
      find_op<decltype(max_aggregate)>("ordered_gnn::max_aggregate");
  return op.call(rowptr, col, t_rowptr, t_col, h);
}

at::Tensor max_aggregate_backward(const at::Tensor& t_rowptr,
                                  const at::Tensor& t_col,
                                  const at::Tensor& winner,
                                  const at::Tensor& grad) {
  static const auto op = find_op<decltype(max_aggregate_backward)>(
      "ordered_gnn::max_aggregate_backward");
  return op.call(t_rowptr, t_col, winner, grad);
}

}  // namespace detail

at::Tensor max_aggregate(const Graph& graph, const at::Tensor& h) {
  detail::require_whole_graph("max_aggregate", graph);
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  return std::get<0>(
      detail::max_aggregate(in.rowptr, in.col, out.rowptr, out.col, h));
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "max_aggregate(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor h) -> (Tensor, Tensor)",
      detail::traceable());
  m.def(
      "max_aggregate_backward(Tensor t_rowptr, Tensor t_col, Tensor winner, "
      "Tensor grad) -> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
