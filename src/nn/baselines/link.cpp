#include "nn/baselines/link.h"

#include <torch/types.h>

namespace ordered_gnn::nn {

Link::Link(const ModelShape& shape, const ModelOptions& /*options*/,
           int64_t seed) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  output_ = register_module(
      "output",
      std::make_shared<RowPerNode>(shape.num_nodes, shape.num_classes, random));
}

at::Tensor Link::forward(const Graph& graph, const NodeFeatures& /*features*/,
                         const ForwardContext& /*context*/,
                         ForwardTrace* trace) {
  const at::Tensor logits = output_->forward(graph);
  if (trace != nullptr) trace->embeddings = logits;
  return logits;
}

Json Link::defaults() {
  return {{"self-loops", "remove"},
          {"lr", 0.01},
          {"l2-theta", 0.001},
          {"l2-xi", 0.001}};
}

}  // namespace ordered_gnn::nn
