#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ops/ordered_stack.h"
#include "ordered_gnn/core/receiver_lists.h"

namespace ordered_gnn {

/// A run of Ordered GNN layers, mean aggregation, for tests of any device.
struct LayersCase {
  Gating gating = Gating::softor;
  size_t layers = 4;
  double dropout = 0;
};

/// h [rows, width], then gate weight, gate bias, norm weight and norm bias of
/// every layer.
std::vector<at::Tensor> layers_inputs(const LayersCase& run, int64_t rows,
                                      int64_t gates, int64_t width,
                                      at::ScalarType dtype);

/// State and gate after the layers, by ordered_stack().
std::vector<at::Tensor> stack_of_layers(const Graph& graph,
                                        const LayersCase& run, bool recompute,
                                        const std::vector<at::Tensor>& in);

/// The same by ordered_layer(), one call after the other.
std::vector<at::Tensor> single_layers(const Graph& graph, const LayersCase& run,
                                      const std::vector<at::Tensor>& in);

/// Some rows of the last layer, by ordered_rows() on single layers.
std::vector<at::Tensor> rows_of_layer(const Graph& graph,
                                      const ReceiverLists& lists,
                                      const LayersCase& run,
                                      const std::vector<at::Tensor>& in);

}  // namespace ordered_gnn
