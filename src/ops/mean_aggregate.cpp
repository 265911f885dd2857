#include "ordered_gnn/ops/mean_aggregate.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/weighted_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn {

at::Tensor mean_aggregate(const Graph& graph, const at::Tensor& h) {
  if (graph.weights().defined()) {
    return detail::constant_weighted_aggregate(detail::edge_lists(graph),
                                               graph.factors().mean, h);
  }
  return scaled_aggregate(graph, graph.inverse_in_degree(), {}, h);
}

namespace {

// For callers that have index tensors and no Graph with its cached degrees.
at::Tensor mean_aggregate_of_lists(const at::Tensor& rowptr,
                                   const at::Tensor& col,
                                   const at::Tensor& t_rowptr,
                                   const at::Tensor& t_col,
                                   const at::Tensor& h) {
  const at::Tensor inverse_degree =
      rowptr.diff().clamp_min(1).to(at::kDouble).reciprocal();
  return detail::scaled_aggregate(
      {{rowptr, col, t_rowptr, t_col, inverse_degree, {}}, h});
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "mean_aggregate(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor h) -> Tensor",
      mean_aggregate_of_lists);
}

}  // namespace ordered_gnn
