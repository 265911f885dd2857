#include "nn/baselines/jknet.h"

#include <torch/types.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

std::shared_ptr<Convolution> make_layer(const ModelShape& shape,
                                        const ModelOptions& options, int64_t in,
                                        RandomStream& random) {
  if (options.convolution == ConvolutionKind::gcn) {
    return std::make_shared<GraphConvolution>(shape, in, options.hidden,
                                              random);
  }
  return std::make_shared<SageConvolution>(shape, options.aggregator, in,
                                           options.hidden, random);
}

}  // namespace

JkNet::JkNet(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(make_layer(shape, options, k == 0 ? 0 : width, random));
  }
  using Layers = std::vector<std::shared_ptr<Convolution>>;
  register_parts(*this, "input", Layers{layers_.front()});
  register_parts(*this, "layers", Layers(layers_.begin() + 1, layers_.end()));
  jumping_ = std::make_unique<JumpingStates>(*this, options, random);
  output_ = register_module(
      "output",
      std::make_shared<Affine>(jumping_->width(), shape.num_classes, random));
}

at::Tensor JkNet::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  std::vector<at::Tensor> states;
  for (const auto& layer : layers_) {
    x.h = layer->forward(graph, x, options_.dropout_theta, sites).relu();
    states.push_back(x.h);
    trace_layer(trace, static_cast<int64_t>(states.size()), x.h);
  }
  const at::Tensor all =
      sites.drop(jumping_->forward(states), options_.dropout_theta);
  if (trace != nullptr) trace->embeddings = all;
  return linear(all, output_->weight, output_->bias);
}

Json JkNet::defaults() {
  return {{"self-loops", "add"}, {"layers", 6},          {"hidden", 16},
          {"jumping", "concat"}, {"dropout-theta", 0.5}, {"lr", 0.005},
          {"l2-theta", 5e-4},    {"l2-xi", 5e-4}};
}

void JkNet::check(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) {
    throw UsageError("jknet takes --convolution gcn or sage, not gat");
  }
  if (options.jumping == Jumping::none) {
    throw UsageError(
        "jknet takes --jumping concat, max or lstm; none is --model gcn or "
        "graphsage");
  }
}

}  // namespace ordered_gnn::nn
