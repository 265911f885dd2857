#include "ordered_gnn/ops/edge_dot.h"

#include <torch/library.h>

#include "ops/detail/arguments.h"
#include "ops/detail/checks.h"
#include "ops/detail/edge_dot.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

void check_edge_dot(const EdgeDotArguments& arguments) {
  const at::Tensor &a = arguments.a, &b = arguments.b;
  check_rows("edge_dot", arguments.lists.rowptr, arguments.lists.col, b);
  check_float("edge_dot", "b", b);
  check_shape("edge_dot", "a", a, b.sizes());
  check_like("edge_dot", "a", a, "b", b);
  TORCH_CHECK(arguments.heads > 0 && b.size(1) % arguments.heads == 0,
              "edge_dot: a width of ", b.size(1), " is not divisible by ",
              arguments.heads, " heads");
}

at::Tensor edge_dot(const EdgeDotArguments& arguments) {
  return call_op<edge_dot>("edge_dot", arguments);
}

}  // namespace detail

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads) {
  return detail::edge_dot({detail::edge_lists(graph), a, b, heads});
}

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b) {
  return edge_dot(graph, a, b, /*heads=*/1).squeeze(1);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "edge_dot(Tensor rowptr, Tensor col, Tensor t_rowptr, Tensor t_col, "
      "Tensor t_edge, Tensor a, Tensor b, int heads) -> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
