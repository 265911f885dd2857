#include "nn/baselines/link.h"

#include <torch/types.h>

#include <cmath>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {

Link::Link(const ModelShape& shape, const ModelOptions& /*options*/,
           int64_t seed) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const double bound = 1.0 / std::sqrt(std::max<double>(
                                 1, static_cast<double>(shape.num_nodes)));
  const at::Tensor weight = uniform(
      empty_parameter({shape.num_nodes, shape.num_classes}), bound, random);
  const at::Tensor bias =
      uniform(empty_parameter({shape.num_classes}), bound, random);
  output_ = std::make_shared<Rows>();
  output_->weight = output_->register_parameter("weight", weight);
  output_->bias = output_->register_parameter("bias", bias);
  register_module("output", output_);
}

at::Tensor Link::forward(const Graph& graph, const NodeFeatures& /*features*/,
                         const ForwardContext& /*context*/,
                         ForwardTrace* trace) {
  const at::Tensor logits =
      scaled_aggregate(graph, {}, {}, output_->weight) + output_->bias;
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
