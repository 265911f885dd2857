#include "nn/baselines/resgcn.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::nn {

ResGcn::ResGcn(const ModelShape& shape, const ModelOptions& options,
               int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  using Layer = GraphConvolution;
  input_ = std::make_shared<Layer>(shape, 0, width, random);
  for (int64_t k = 2; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(shape, width, width, random));
  }
  output_ = std::make_shared<Layer>(shape, width, shape.num_classes, random);
  register_parts(*this, "input", std::vector<std::shared_ptr<Layer>>{input_});
  register_parts(*this, "layers", layers_);
  register_module("output", output_);
}

at::Tensor ResGcn::forward(const Graph& graph, const NodeFeatures& features,
                           const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  LayerInput x{features, {}};
  x.h = input_->forward(graph, x, p, sites).relu();
  int64_t rounds = 1;
  trace_layer(trace, rounds, x.h);
  for (const auto& layer : layers_) {
    x.h = layer->forward(graph, x, p, sites).relu() + x.h;
    trace_layer(trace, ++rounds, x.h);
  }
  if (trace != nullptr) trace->embeddings = x.h;
  const at::Tensor logits = output_->forward(graph, x, p, sites);
  trace_layer(trace, ++rounds, logits);
  return logits;
}

Json ResGcn::defaults() {
  return {{"self-loops", "add"},  {"layers", 4},   {"hidden", 128},
          {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 0.001},
          {"l2-xi", 0.001},       {"epochs", 400}, {"patience", 400}};
}

void ResGcn::check(const ModelOptions& options) {
  if (options.layers < 2) {
    throw UsageError(
        "resgcn has a first and a last layer, so --layers must be at least 2");
  }
}

}  // namespace ordered_gnn::nn
