#include "nn/baselines/gcn.h"

namespace ordered_gnn::nn {

Gcn::Gcn(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    const bool is_last = k + 1 == options.layers;
    layers_.push_back(std::make_shared<GraphConvolution>(
        shape, k == 0 ? 0 : options.hidden,
        is_last ? shape.num_classes : options.hidden, random));
  }
  using Layers = std::vector<std::shared_ptr<GraphConvolution>>;
  register_parts(*this, "input", Layers{layers_.front()});
  register_parts(*this, "layers", Layers(layers_.begin() + 1, layers_.end()));
}

at::Tensor Gcn::forward(const Graph& graph, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  LayerInput x{features, {}};
  for (size_t k = 0; k + 1 < layers_.size(); ++k) {
    x.h = layers_[k]->forward(graph, x, p, sites).relu();
    trace_layer(trace, static_cast<int64_t>(k) + 1, x.h);
  }
  const at::Tensor logits = layers_.back()->forward(graph, x, p, sites);
  trace_layer(trace, static_cast<int64_t>(layers_.size()), logits);
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : logits;
  return logits;
}

Json Gcn::defaults() {
  return {{"self-loops", "add"},  {"layers", 2},   {"hidden", 16},
          {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 5e-4},
          {"l2-xi", 0.0},         {"epochs", 200}, {"patience", 200}};
}

}  // namespace ordered_gnn::nn
