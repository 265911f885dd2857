#include "ordered_gnn/nn/graphsage.h"

#include <torch/types.h>

#include "nn/parameters.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {

GraphSage::Layer::Layer(const ModelShape& shape, const ModelOptions& options,
                        int64_t in, RandomStream& random) {
  weight = register_parameter(
      "weight", glorot(empty_weight(shape, in, 2 * options.hidden), random));
  bias = register_parameter("bias",
                            detail::constant_parameter({options.hidden}, 0));
  aggregate = register_module(
      "attention", std::make_shared<AggregateStage>(options.aggregator,
                                                    options.hidden, random));
}

GraphSage::GraphSage(const ModelShape& shape, const ModelOptions& options,
                     int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(
        shape, options, k == 0 ? 0 : options.hidden, random));
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
    const at::Tensor both =
        dropped_linear(x, layer->weight, {}, options_.dropout_theta, sites);
    const std::vector<at::Tensor> part = both.chunk(2, /*dim=*/1);
    const at::Tensor neighbours = layer->aggregate->forward(graph, part[1]);
    x.h = unit_rows((part[0] + neighbours + layer->bias).relu());
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

}  // namespace ordered_gnn
