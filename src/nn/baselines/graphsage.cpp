#include "nn/baselines/graphsage.h"

#include <torch/types.h>

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

GraphSage::GraphSage(const ModelShape& shape, const ModelOptions& options,
                     int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<SageConvolution>(
        shape, options.aggregator, k == 0 ? 0 : options.hidden, options.hidden,
        random));
  }
  register_parts(*this, "layers", layers_);
  output_ = register_module(
      "output",
      std::make_shared<Affine>(options.hidden, shape.num_classes, random));
}

at::Tensor GraphSage::forward(const Graph& graph, const NodeFeatures& features,
                              const ForwardContext& context,
                              ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  int64_t rounds = 0;
  for (const auto& layer : layers_) {
    x.h = unit_rows(
        layer->forward(graph, x, options_.dropout_theta, sites).relu());
    trace_layer(trace, ++rounds, x.h);
  }
  x.h = sites.drop(x.h, options_.dropout_theta);
  if (trace != nullptr) trace->embeddings = x.h;
  return classify(x.h);
}

at::Tensor GraphSage::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

Json GraphSage::defaults() {
  return {{"self-loops", "remove"}, {"layers", 2}, {"hidden", 256},
          {"aggregator", "mean"},   {"lr", 0.01},  {"dropout-theta", 0.0},
          {"l2-theta", 0.0},        {"l2-xi", 0.0}};
}

}  // namespace ordered_gnn::nn
