#include "ordered_gnn/ops/edge_dot.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/edge_dot.h"

namespace ordered_gnn {
namespace detail {

void check_edge_dot(const at::Tensor& rowptr, const at::Tensor& col,
                    const at::Tensor& a, const at::Tensor& b, int64_t heads) {
  check_rows("edge_dot", rowptr, col, b);
  check_float("edge_dot", "b", b);
  check_shape("edge_dot", "a", a, b.sizes());
  check_like("edge_dot", "a", a, "b", b);
  TORCH_CHECK(heads > 0 && b.size(1) % heads == 0, "edge_dot: a width of ",
              b.size(1), " is not divisible by ", heads, " heads");
}

at::Tensor edge_dot(const at::Tensor& rowptr, const at::Tensor& col,
                    const at::Tensor& t_rowptr, const at::Tensor& t_col,
                    const at::Tensor& t_edge, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads) {
  static const auto op = find_op<decltype(edge_dot)>("ordered_gnn::edge_dot");
  return op.call(rowptr, col, t_rowptr, t_col, t_edge, a, b, heads);
}

}  // namespace detail

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads) {
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  return detail::edge_dot(in.rowptr, in.col, out.rowptr, out.col,
                          graph.edge_of_out(), a, b, heads);
}

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b) {
  return edge_dot(graph, a, b, /*heads=*/1).squeeze(1);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "edge_dot(Tensor rowptr, Tensor col, Tensor t_rowptr, Tensor t_col, "
      "Tensor t_edge, Tensor a, Tensor b, int heads) -> Tensor");
}

}  // namespace ordered_gnn
