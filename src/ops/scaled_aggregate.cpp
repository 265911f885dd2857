#include "ordered_gnn/ops/scaled_aggregate.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/scaled_aggregate.h"

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

void check_scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
  check_rows("scaled_aggregate", rowptr, col, h);
  check_scale("row_scale", row_scale, h);
  check_scale("col_scale", col_scale, h);
}

at::Tensor scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& t_rowptr, const at::Tensor& t_col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
  static const auto op =
      find_op<decltype(scaled_aggregate)>("ordered_gnn::scaled_aggregate");
  return op.call(rowptr, col, t_rowptr, t_col, row_scale, col_scale, h);
}

at::Tensor propagation_step(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h,
                            const at::Tensor& start, double share) {
  static const auto op =
      find_op<decltype(propagation_step)>("ordered_gnn::propagation_step");
  return op.call(rowptr, col, row_scale, col_scale, h, start, share);
}

}  // namespace detail

at::Tensor scaled_aggregate(const Graph& graph, const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h) {
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  return detail::scaled_aggregate(in.rowptr, in.col, out.rowptr, out.col,
                                  detail::when_defined(row_scale),
                                  detail::when_defined(col_scale), h);
}

at::Tensor sum_aggregate(const Graph& graph, const at::Tensor& h) {
  return scaled_aggregate(graph, {}, {}, h);
}

at::Tensor gcn_aggregate(const Graph& graph, const at::Tensor& h) {
  const at::Tensor scale = graph.inverse_in_degree().sqrt();
  return scaled_aggregate(graph, scale, scale, h);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "scaled_aggregate(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h) "
      "-> Tensor");
  m.def(
      "propagation_step(Tensor rowptr, Tensor col, Tensor row_scale, "
      "Tensor col_scale, Tensor h, Tensor start, float share) -> Tensor");
}

}  // namespace ordered_gnn
