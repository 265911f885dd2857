#include "ordered_gnn/ops/weighted_aggregate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include "ops/detail/arguments.h"
#include "ops/detail/checks.h"
#include "ops/detail/schemas.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn {
namespace detail {

void check_weighted_aggregate(const WeightedAggregateArguments& arguments) {
  const EdgeLists& lists = arguments.lists;
  const at::Tensor &weight = arguments.weight, &h = arguments.h;
  check_rows("weighted_aggregate", lists.rowptr, lists.col, h);
  check_float("weighted_aggregate", "h", h);
  const int64_t entries = lists.col.numel();
  if (weight.dim() == 2) {
    const int64_t heads = weight.size(1);
    check_shape("weighted_aggregate", "weight", weight, {entries, heads});
    TORCH_CHECK(heads > 0 && h.size(1) % heads == 0,
                "weighted_aggregate: a width of ", h.size(1),
                " is not divisible by ", heads, " heads");
  } else {
    check_shape("weighted_aggregate", "weight", weight, {entries});
  }
  check_like("weighted_aggregate", "weight", weight, "h", h);
}

at::Tensor weighted_aggregate(const WeightedAggregateArguments& arguments) {
  return call_op<weighted_aggregate>("weighted_aggregate", arguments);
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward(
    const WeightedAggregateBackwardArguments& arguments) {
  return call_op<weighted_aggregate_backward>("weighted_aggregate_backward",
                                              arguments);
}

at::Tensor transposed_aggregate(const EdgeLists& lists,
                                const at::Tensor& of_edges,
                                const at::Tensor& h) {
  return weighted_aggregate(
      {{lists.t_rowptr, lists.t_col, lists.rowptr, lists.col, lists.t_edge},
       of_edges.index_select(0, lists.t_edge),
       h});
}

at::Tensor receivers(const at::Tensor& rowptr, int64_t num_edges) {
  if (rowptr.is_cpu()) {
    return at::repeat_interleave(rowptr.diff(), optional<int64_t>(num_edges));
  }
  // The lists of drop_edges() are longer than their rows on a GPU; what is
  // behind the last row must still name a node.
  const at::Tensor places = at::arange(num_edges, rowptr.options());
  const int64_t rows = rowptr.numel() - 1;
  return at::searchsorted(rowptr.narrow(0, 1, rows), places,
                          /*out_int32=*/false, /*right=*/true)
      .clamp_max(rows - 1);
}

}  // namespace detail

at::Tensor weighted_aggregate(const Graph& graph, const at::Tensor& weight,
                              const at::Tensor& h) {
  return detail::weighted_aggregate({detail::edge_lists(graph), weight, h});
}

at::Tensor edge_scores(const Graph& graph, const at::Tensor& source,
                       const at::Tensor& target) {
  std::vector<int64_t> shape = {graph.num_nodes()};
  if (source.dim() == 2) shape.push_back(source.size(1));
  detail::check_shape("edge_scores", "source", source, shape);
  detail::check_shape("edge_scores", "target", target, shape);
  detail::check_like("edge_scores", "source", source, "target", target);
  return detail::edge_scores(detail::edge_lists(graph), source, target);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "weighted_aggregate(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor t_edge, Tensor weight, Tensor h) -> Tensor",
      detail::traceable());
  m.def(
      "weighted_aggregate_backward(Tensor rowptr, Tensor col, "
      "Tensor t_rowptr, Tensor t_col, Tensor t_edge, Tensor weight, Tensor h, "
      "Tensor grad) -> (Tensor, Tensor)",
      detail::traceable());
}

}  // namespace ordered_gnn
