#include "ordered_gnn/ops/edge_softmax.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/edge_softmax.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

void check_edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  check_float("edge_softmax", "score", score);
  TORCH_CHECK(score.dim() == 1 || score.dim() == 2,
              "edge_softmax: score must be [E] or [E, H], got ", score.sizes());
  // A look at a GPU's memory would make the host wait.
  if (!rowptr.is_cpu()) return;
  const int64_t num_edges = rowptr[-1].item<int64_t>();
  TORCH_CHECK(score.size(0) == num_edges, "edge_softmax: score must have ",
              num_edges, " entries, one per edge, got ", score.size(0));
}

at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  static const auto op =
      find_op<decltype(edge_softmax)>("ordered_gnn::edge_softmax");
  return op.call(rowptr, score);
}

at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out,
                                 const at::Tensor& grad) {
  static const auto op = find_op<decltype(edge_softmax_backward)>(
      "ordered_gnn::edge_softmax_backward");
  return op.call(rowptr, out, grad);
}

}  // namespace detail

at::Tensor edge_softmax(const Graph& graph, const at::Tensor& score) {
  return detail::edge_softmax(graph.in().rowptr, score);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def("edge_softmax(Tensor rowptr, Tensor score) -> Tensor",
        detail::traceable());
  m.def(
      "edge_softmax_backward(Tensor rowptr, Tensor out, Tensor grad) "
      "-> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
