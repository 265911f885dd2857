#include "train/narrowing_pass.h"

#include <torch/types.h>

#include <optional>

#include "core/graph_part.h"
#include "data/formats/tensor_of.h"

namespace ordered_gnn::training {
namespace {

// Rows are moved together where that leaves out at least one edge in so many.
constexpr int64_t kWorthLeavingOut = 2;

OrderedGnn::State rows_of_state(const OrderedGnn::State& state,
                                const std::vector<int64_t>& rows) {
  const at::Tensor index = data::tensor_of(rows);
  return {
      state.h.index_select(0, index),
      state.gate.defined() ? state.gate.index_select(0, index) : at::Tensor()};
}

}  // namespace

at::Tensor NarrowingPass::forward(const Graph& graph,
                                  const NodeFeatures& features,
                                  const ForwardContext& /*context*/,
                                  ForwardTrace* trace) {
  const int64_t layers = model_.options().layers;
  Graph current = graph;
  std::vector<int64_t> rows = nodes_;  // of the nodes in the present state
  OrderedGnn::State state = model_.first_state(features);
  for (int64_t layer = 1; layer <= layers; ++layer) {
    state = model_.next_state(current, layer, state);
    if (layer == layers) break;
    // Within so many steps rows of the present graph are whole, so that the
    // degrees of a part of it are right too.
    const std::optional<core::GraphPart> part = core::graph_part(
        core::GrownLists(current.in()), rows,
        {layers - layer, current.num_edges() / kWorthLeavingOut});
    if (!part) continue;
    for (int64_t& row : rows) row = part->place_of(row);
    state = rows_of_state(state, part->nodes);
    current = part->graph;
  }
  const at::Tensor h = rows_of_state(state, rows).h;
  if (trace != nullptr) trace->embeddings = h;
  return model_.classify(h);
}

}  // namespace ordered_gnn::training
