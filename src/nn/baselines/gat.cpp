#include "nn/baselines/gat.h"

#include <torch/types.h>

#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr double kAttentionSlope = 0.2;

// [H, d] as [H, H d] with row i in the columns of head i and zeros elsewhere:
// the scores of all heads become one product.
at::Tensor block_diagonal(const at::Tensor& rows) {
  const at::Tensor eye = at::eye(rows.size(0), rows.options());
  return (eye.unsqueeze(2) * rows.unsqueeze(0)).flatten(1);
}

}  // namespace

Gat::Layer::Layer(const ModelShape& shape, int64_t in, int64_t num_heads,
                  int64_t head_width, int64_t bias_width,
                  RandomStream& random) {
  weight = register_parameter(
      "weight",
      glorot(empty_weight(shape, in, num_heads * head_width), random));
  source = register_parameter(
      "source", glorot(empty_parameter({num_heads, head_width}), random));
  target = register_parameter(
      "target", glorot(empty_parameter({num_heads, head_width}), random));
  bias = register_parameter("bias", constant_parameter({bias_width}, 0));
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

at::Tensor Gat::attended(const Layer& layer, const Graph& graph,
                         const LayerInput& x, DropoutSites& sites) const {
  const at::Tensor z =
      dropped_linear(x, layer.weight, {}, options_.dropout_theta, sites);
  const int64_t heads = layer.source.size(0);
  const at::Tensor of_ends = dropped_linear(
      {x.features, z},
      at::cat({block_diagonal(layer.source), block_diagonal(layer.target)}), {},
      0, sites);
  const at::Tensor scores = edge_scores(graph, of_ends.narrow(1, 0, heads),
                                        of_ends.narrow(1, heads, heads));
  const at::Tensor attention =
      edge_softmax(graph, at::leaky_relu(scores, kAttentionSlope));
  return weighted_aggregate(graph, sites.drop(attention, options_.dropout_xi),
                            z);
}

at::Tensor Gat::forward(const Graph& graph, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  for (size_t k = 0; k + 1 < layers_.size(); ++k) {
    x.h = at::elu(attended(*layers_[k], graph, x, sites) + layers_[k]->bias);
    trace_layer(trace, static_cast<int64_t>(k) + 1, x.h);
  }
  const Layer& last = *layers_.back();
  const at::Tensor heads = attended(last, graph, x, sites);
  const at::Tensor logits =
      heads.view({heads.size(0), last.source.size(0), last.source.size(1)})
          .mean(1) +
      last.bias;
  trace_layer(trace, static_cast<int64_t>(layers_.size()), logits);
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
}

}  // namespace ordered_gnn::nn
