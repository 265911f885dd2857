#include "ordered_gnn/nn/gat.h"

#include <torch/types.h>

#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn {
namespace {

constexpr double kAttentionSlope = 0.2;
// Dropout sites, one per head and layer, are counted in 16 bits.
constexpr int64_t kMostHeads = 60000;

}  // namespace

Gat::Layer::Layer(const ModelShape& shape, int64_t in, int64_t num_heads,
                  int64_t head_width, int64_t bias_width,
                  RandomStream& random) {
  using detail::empty_parameter;
  weight = register_parameter(
      "weight",
      glorot(empty_weight(shape, in, num_heads * head_width), random));
  source = register_parameter(
      "source", glorot(empty_parameter({num_heads, head_width}), random));
  target = register_parameter(
      "target", glorot(empty_parameter({num_heads, head_width}), random));
  bias =
      register_parameter("bias", detail::constant_parameter({bias_width}, 0));
}

Gat::Gat(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    const int64_t in = k == 0 ? 0 : options.hidden;
    layers_.push_back(
        k + 1 == options.layers
            ? std::make_shared<Layer>(shape, in, options.output_heads,
                                      shape.num_classes, shape.num_classes,
                                      random)
            : std::make_shared<Layer>(shape, in, options.heads,
                                      options.hidden / options.heads,
                                      options.hidden, random));
  }
  register_parts(*this, "layers", layers_);
}

std::vector<at::Tensor> Gat::heads_of(const Layer& layer, const Graph& graph,
                                      const LayerInput& x,
                                      DropoutSites& sites) const {
  const at::Tensor all =
      dropped_linear(x, layer.weight, {}, options_.dropout_theta, sites);
  // One split: the gradient of a slice by itself is as wide as the whole.
  const std::vector<at::Tensor> parts =
      all.split(layer.source.size(1), /*dim=*/1);
  std::vector<at::Tensor> heads;
  for (int64_t i = 0; i < layer.source.size(0); ++i) {
    const at::Tensor z = parts[static_cast<size_t>(i)].contiguous();
    const at::Tensor scores =
        edge_scores(graph, z.mv(layer.source[i]), z.mv(layer.target[i]));
    const at::Tensor attention =
        edge_softmax(graph, at::leaky_relu(scores, kAttentionSlope));
    heads.push_back(weighted_aggregate(
        graph, sites.drop(attention, options_.dropout_xi), z));
  }
  return heads;
}

at::Tensor Gat::forward(const Graph& graph, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  for (size_t k = 0; k + 1 < layers_.size(); ++k) {
    x.h = at::elu(at::cat(heads_of(*layers_[k], graph, x, sites), /*dim=*/1) +
                  layers_[k]->bias);
  }
  const Layer& last = *layers_.back();
  const std::vector<at::Tensor> heads = heads_of(last, graph, x, sites);
  at::Tensor sum = heads.front();
  for (size_t i = 1; i < heads.size(); ++i) sum = sum + heads[i];
  const at::Tensor logits = sum / static_cast<double>(heads.size()) + last.bias;
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : logits;
  return logits;
}

Json Gat::defaults() {
  return {{"self-loops", "add"}, {"layers", 2},       {"hidden", 64},
          {"heads", 8},          {"output-heads", 1}, {"dropout-theta", 0.6},
          {"dropout-xi", 0.6},   {"lr", 0.005},       {"l2-theta", 5e-4},
          {"l2-xi", 5e-4},       {"patience", 100}};
}

void Gat::check(const ModelOptions& options) {
  if (options.hidden % options.heads != 0) {
    throw UsageError(
        fmt::format("hidden {} is not divisible by heads {}: every attention "
                    "head must have the same width",
                    options.hidden, options.heads));
  }
  if (options.layers * options.heads + options.output_heads > kMostHeads) {
    throw UsageError(
        fmt::format("{} layers of {} heads are more than {} heads in all",
                    options.layers, options.heads, kMostHeads));
  }
}

}  // namespace ordered_gnn
