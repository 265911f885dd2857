#include "nn/baselines/tuned_gnn.h"

#include <torch/types.h>

#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/gat.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

std::shared_ptr<Convolution> make_convolution(const ModelShape& shape,
                                              const ModelOptions& options,
                                              int64_t in,
                                              RandomStream& random) {
  const int64_t width = options.hidden;
  switch (options.convolution) {
    case ConvolutionKind::gcn:
      return std::make_shared<GraphConvolution>(shape, in, width, random);
    case ConvolutionKind::sage:
      return std::make_shared<SageConvolution>(shape, options.aggregator, in,
                                               width, random);
    case ConvolutionKind::gat:
      break;
  }
  const AttentionSize size{options.heads, width / options.heads, width};
  return std::make_shared<AttentionConvolution>(shape, in, size,
                                                options.dropout_xi, random);
}

}  // namespace

TunedGnn::Layer::Layer(const ModelShape& shape, const ModelOptions& options,
                       int64_t in, RandomStream& random) {
  const int64_t width = options.hidden;
  convolution = register_module("convolution",
                                make_convolution(shape, options, in, random));
  if (options.residual) {
    residual = register_module(
        "residual",
        std::make_shared<Affine>(empty_weight(shape, in, width), random));
  }
  norm = register_module("norm",
                         std::make_shared<Normalization>(options.norm, width));
}

TunedGnn::TunedGnn(const ModelShape& shape, const ModelOptions& options,
                   int64_t seed)
    : options_(options) {
  check(options);
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

at::Tensor TunedGnn::forward(const Graph& graph, const NodeFeatures& features,
                             const ForwardContext& context,
                             ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  for (size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = *layers_[k];
    at::Tensor y = layer.convolution->forward(graph, x, 0, sites);
    if (layer.residual) {
      y = y + dropped_linear(x, layer.residual->weight, layer.residual->bias, 0,
                             sites);
    }
    y = layer.norm->forward(y, context.training).relu();
    trace_layer(trace, static_cast<int64_t>(k) + 1, y);
    x.h = sites.drop(y, options_.dropout_theta);
  }
  if (trace != nullptr) trace->embeddings = x.h;
  return classify(x.h);
}

at::Tensor TunedGnn::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

Json TunedGnn::defaults() {
  return {{"self-loops", "add"},  {"layers", 4},     {"hidden", 256},
          {"heads", 1},           {"norm", "batch"}, {"residual", true},
          {"dropout-theta", 0.5}, {"lr", 0.001},     {"dropout-xi", 0.0},
          {"l2-theta", 5e-4},     {"l2-xi", 5e-4}};
}

void TunedGnn::check(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) Gat::check(options);
}

std::string TunedGnn::why_unread(const ModelOptions& options,
                                 const std::string& option) {
  const bool is_of_attention = option == "heads" || option == "dropout-xi";
  if (is_of_attention && options.convolution != ConvolutionKind::gat) {
    return "tuned_gnn reads {} with --convolution gat only";
  }
  if (option == "aggregator" && options.convolution != ConvolutionKind::sage) {
    return "tuned_gnn reads {} with --convolution sage only";
  }
  return "";
}

}  // namespace ordered_gnn::nn
