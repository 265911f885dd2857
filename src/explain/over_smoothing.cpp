#include "ordered_gnn/explain/over_smoothing.h"

#include <vector>

#include "explain/spread_terms.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

at::Tensor checked_state(const Graph& graph, const at::Tensor& state) {
  if (!state.defined() || state.dim() != 2 || !state.is_floating_point() ||
      !state.device().is_cpu() || state.size(0) != graph.num_nodes()) {
    fail("states of a layer are a floating-point matrix [{}, D] on the CPU",
         graph.num_nodes());
  }
  return state.detach().to(at::kFloat).contiguous();
}

}  // namespace

LayerSpread measure_spread(const Graph& graph, const at::Tensor& state) {
  const at::Tensor rows = checked_state(graph, state);
  const int64_t nodes = rows.size(0), width = rows.size(1);
  explain::SpreadTerms terms;
  terms.norm = explain::row_norms(rows);
  explain::require_finite(terms.norm);
  if (nodes < 2) return explain::spread_of(terms);
  std::vector<double> mean =
      explain::column_sums(rows, [](int64_t) { return 1.0; });
  for (double& value : mean) value /= static_cast<double>(nodes);
  terms.square = explain::square_gaps(rows, mean);
  terms.unit_sum = explain::column_sums(rows, [&](int64_t v) {
    return explain::unit_weight(terms.norm[static_cast<size_t>(v)]);
  });
  const float* const value = rows.data_ptr<float>();
  terms.mean_distance = explain::mean_pair_distance(
      nodes, width, [&](int64_t v) { return value + v * width; });
  terms.edges = graph.num_edges() - graph.num_self_loops();
  terms.edge_sum = explain::edge_sums(graph, rows);
  return explain::spread_of(terms);
}

}  // namespace ordered_gnn
