#include "ordered_gnn/ops/scaled_aggregate.h"

#include <torch/library.h>

#include "ops/detail/arguments.h"
#include "ops/detail/checks.h"
#include "ops/detail/exchanged.h"
#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/schemas.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn {
namespace detail {
namespace {

void check_scale(const char* name, const optional<at::Tensor>& scale,
                 const at::Tensor& h) {
  if (!scale.has_value()) return;
  check_shape("scaled_aggregate", name, *scale, {h.size(0)});
  TORCH_CHECK(scale->scalar_type() == at::kDouble, "scaled_aggregate: ", name,
              " must be float64, got ", scale->scalar_type());
}

}  // namespace

void check_scaled_aggregate(const ScaledLists& lists, const at::Tensor& h) {
  constexpr const char* kOp = "scaled_aggregate";
  // Rows behind those of the lists only send.
  const int64_t rows = lists.rowptr.numel() - 1;
  const bool takes_senders = h.is_cpu() || h.is_cuda();
  const bool has_senders = takes_senders && h.dim() == 2 && h.size(0) > rows;
  check_rows(kOp, lists.rowptr, lists.col,
             has_senders ? h.narrow(0, 0, rows) : h);
  check_scale("row_scale", lists.row_scale, h);
  check_scale("col_scale", lists.col_scale, h);
}

void check_row_per_node(const char* op, const Graph& graph,
                        const at::Tensor& h) {
  TORCH_CHECK(h.dim() == 2 && h.size(0) == graph.num_nodes(), op,
              ": h must be [", graph.num_nodes(),
              ", D] to match the graph, got ", h.sizes());
}

at::Tensor scaled_aggregate(const ScaledAggregateArguments& arguments) {
  return call_op<scaled_aggregate>("scaled_aggregate", arguments);
}

at::Tensor propagation_step(const PropagationStepArguments& arguments) {
  return call_op<propagation_step>("propagation_step", arguments);
}

}  // namespace detail

at::Tensor scaled_aggregate(const Graph& graph, const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h) {
  if (graph.exchange() != nullptr) {
    return detail::exchanged_aggregate(graph, row_scale, col_scale, h);
  }
  detail::check_row_per_node("scaled_aggregate", graph, h);
  return detail::scaled_aggregate(
      {detail::scaled_lists(graph.in(), graph.out(), row_scale, col_scale), h});
}

at::Tensor sum_aggregate(const Graph& graph, const at::Tensor& h) {
  if (graph.weights().defined()) {
    return detail::constant_weighted_aggregate(detail::edge_lists(graph),
                                               graph.weights(), h);
  }
  return scaled_aggregate(graph, {}, {}, h);
}

at::Tensor gcn_aggregate(const Graph& graph, const at::Tensor& h) {
  if (graph.weights().defined()) {
    return detail::constant_weighted_aggregate(detail::edge_lists(graph),
                                               graph.factors().symmetric, h);
  }
  const at::Tensor scale = graph.inverse_in_degree().sqrt();
  return scaled_aggregate(graph, scale, scale, h);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "scaled_aggregate(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h) "
      "-> Tensor",
      detail::traceable());
  m.def(
      "propagation_step(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor start, float share) -> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
