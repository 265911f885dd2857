#include "nn/baselines/label_propagation.h"

#include <torch/types.h>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/propagate.h"

namespace ordered_gnn::nn {

LabelPropagation::LabelPropagation(const ModelShape& shape,
                                   const ModelOptions& options,
                                   int64_t /*seed*/)
    : num_classes_(shape.num_classes), options_(options) {}

at::Tensor LabelPropagation::forward(const Graph& graph,
                                     const NodeFeatures& /*features*/,
                                     const ForwardContext& context,
                                     ForwardTrace* trace) {
  const at::Tensor start =
      one_hot_labels(context.known, graph.num_nodes(), num_classes_,
                     graph.inverse_in_degree().options().dtype(at::kFloat));
  const at::Tensor logits =
      log_shares(propagate(graph, start, {options_.alpha, options_.hops, {}}));
  if (trace != nullptr) trace->embeddings = logits;
  return logits;
}

Json LabelPropagation::defaults() {
  return {{"self-loops", "remove"},
          {"hops", 50},
          {"alpha", 0.01},
          {"epochs", 1},
          {"patience", 1}};
}

}  // namespace ordered_gnn::nn
