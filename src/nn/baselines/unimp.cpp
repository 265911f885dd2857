#include "nn/baselines/unimp.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {

UniMp::Layer::Layer(const ModelShape& shape, int64_t in, int64_t num_heads,
                    int64_t width, bool last, RandomStream& random)
    : heads(num_heads), head_width(width), is_last(last) {
  const int64_t all = heads * head_width;
  const int64_t out = is_last ? head_width : all;
  weight = register_parameter(
      "weight", glorot(empty_weight(shape, in, 3 * all + out), random));
  bias = register_parameter("bias", constant_parameter({3 * all + out}, 0));
  gate = register_parameter(
      "gate",
      uniform(empty_parameter({3 * out}),
              std::sqrt(6.0 / static_cast<double>(3 * out + 1)), random));
  if (is_last) return;
  norm = register_module("norm",
                         std::make_shared<Normalization>(Norm::layer, out));
}

UniMp::UniMp(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : num_classes_(shape.num_classes), options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  label_ = register_module(
      "label",
      std::make_shared<Weight>(glorot(
          empty_parameter({shape.num_classes, shape.num_features}), random)));
  for (int64_t k = 0; k < options.layers; ++k) {
    const bool is_last = k + 1 == options.layers;
    layers_.push_back(std::make_shared<Layer>(
        shape, k == 0 ? 0 : options.hidden, options.heads,
        is_last ? shape.num_classes : options.hidden / options.heads, is_last,
        random));
  }
  register_parts(*this, "layers", layers_);
}

at::Tensor UniMp::projected(const Layer& layer, const LayerInput& x,
                            const ForwardContext& context,
                            DropoutSites& sites) const {
  const at::Tensor out = dropped_linear(x, layer.weight, layer.bias,
                                        options_.dropout_theta, sites);
  if (x.h.defined() || context.known == nullptr) return out;
  const at::Tensor told =
      one_hot_labels(context.known, out.size(0), num_classes_, out.options());
  const at::Tensor shift = at::zeros({out.size(1)}, out.options());
  return out +
         linear(told, linear(label_->weight, layer.weight, shift).t(), shift);
}

at::Tensor UniMp::transformed(const Layer& layer, const Graph& graph,
                              const at::Tensor& qkvr,
                              DropoutSites& sites) const {
  const int64_t all = layer.heads * layer.head_width;
  const std::vector<at::Tensor> parts =
      qkvr.split_with_sizes({all, all, all, qkvr.size(1) - 3 * all}, 1);
  const double scale = 1 / std::sqrt(static_cast<double>(layer.head_width));
  const at::Tensor scores =
      edge_dot(graph, parts[0] * scale, parts[1], layer.heads);
  const at::Tensor attention = edge_softmax(graph, scores);
  at::Tensor m = weighted_aggregate(
      graph, sites.drop(attention, options_.dropout_xi), parts[2]);
  if (layer.is_last) {
    m = m.view({m.size(0), layer.heads, layer.head_width}).mean(1);
  }
  const at::Tensor& r = parts[3];
  // [m ; r ; m - r] w_g without building the three side by side.
  const std::vector<at::Tensor> of = layer.gate.chunk(3);
  const at::Tensor weight = at::cat({of[0] + of[2], of[1] - of[2]});
  const at::Tensor gate =
      pair_linear(m, r, weight.unsqueeze(0), at::zeros({1}, m.options()))
          .sigmoid();
  return m + gate * (r - m);
}

at::Tensor UniMp::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  for (size_t k = 0; k + 1 < layers_.size(); ++k) {
    const Layer& layer = *layers_[k];
    const at::Tensor y =
        transformed(layer, graph, projected(layer, x, context, sites), sites);
    x.h = layer_norm(y, layer.norm->weight, layer.norm->bias, kNormEps).relu();
  }
  const Layer& last = *layers_.back();
  const at::Tensor logits =
      transformed(last, graph, projected(last, x, context, sites), sites);
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : logits;
  return logits;
}

Json UniMp::defaults() {
  return {{"self-loops", "add"}, {"layers", 3},         {"hidden", 256},
          {"heads", 2},          {"label-rate", 0.625}, {"dropout-theta", 0.3},
          {"dropout-xi", 0.3},   {"lr", 0.001},         {"l2-theta", 5e-4},
          {"l2-xi", 5e-4}};
}

void UniMp::check(const ModelOptions& options) {
  if (options.hidden % options.heads == 0) return;
  throw UsageError(
      fmt::format("hidden {} is not divisible by heads {}: every attention "
                  "head must have the same width",
                  options.hidden, options.heads));
}

}  // namespace ordered_gnn::nn
