#include "nn/baselines/acm_gcn.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kChannels = 3;
constexpr double kTemperature = 3;

}  // namespace

AcmGcn::Layer::Layer(const ModelShape& shape, int64_t in, int64_t out,
                     RandomStream& random) {
  const auto bound = [](int64_t size) {
    return 1 / std::sqrt(std::max<double>(1, static_cast<double>(size)));
  };
  weight = register_parameter(
      "weight",
      uniform(empty_weight(shape, in, kChannels * out), bound(out), random));
  scores = register_parameter(
      "scores", uniform(empty_parameter({kChannels, out}), 1, random));
  mix =
      register_parameter("mix", uniform(empty_parameter({kChannels, kChannels}),
                                        bound(kChannels), random));
}

AcmGcn::AcmGcn(const ModelShape& shape, const ModelOptions& options,
               int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(
        shape, k == 0 ? 0 : options.hidden,
        k + 1 == options.layers ? shape.num_classes : options.hidden, random));
  }
  register_parts(*this, "layers", layers_);
}

at::Tensor AcmGcn::mixed(const Layer& layer, const Graph& graph,
                         const at::Tensor& z) const {
  const int64_t width = layer.scores.size(1);
  const auto average = [&](const at::Tensor& h) {
    return options_.aggregator == Aggregator::mean ? mean_aggregate(graph, h)
                                                   : gcn_aggregate(graph, h);
  };
  // Both sums over neighbours in one pass.
  const std::vector<at::Tensor> smooth =
      average(z.narrow(1, 0, 2 * width)).chunk(2, /*dim=*/1);
  const at::Tensor channel[kChannels] = {
      smooth[0].relu(), (z.narrow(1, width, width) - smooth[1]).relu(),
      z.narrow(1, 2 * width, width).relu()};
  std::vector<at::Tensor> scores;
  for (int64_t i = 0; i < kChannels; ++i) {
    scores.push_back(linear(channel[i], layer.scores.narrow(0, i, 1),
                            at::zeros({1}, z.options())));
  }
  const at::Tensor logits =
      linear(at::cat(scores, /*dim=*/1).sigmoid(), layer.mix / kTemperature,
             at::zeros({kChannels}, z.options()));
  const at::Tensor shares = logits.softmax(/*dim=*/1) * kChannels;
  at::Tensor y = channel[0] * shares.narrow(1, 0, 1);
  for (int64_t i = 1; i < kChannels; ++i) {
    y = y + channel[i] * shares.narrow(1, i, 1);
  }
  return y;
}

at::Tensor AcmGcn::forward(const Graph& graph, const NodeFeatures& features,
                           const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  LayerInput x{features, {}};
  at::Tensor y;
  for (size_t k = 0; k < layers_.size(); ++k) {
    // A mix of what relu gives is never below 0: it needs none of its own.
    if (k > 0) x.h = y;
    const Layer& layer = *layers_[k];
    y = mixed(
        layer, graph,
        dropped_linear(x, layer.weight, {}, options_.dropout_theta, sites));
    trace_layer(trace, static_cast<int64_t>(k) + 1, y);
  }
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : y;
  return y;
}

Json AcmGcn::defaults() {
  return {{"self-loops", "add"},  {"layers", 2},   {"hidden", 64},
          {"aggregator", "mean"}, {"lr", 0.05},    {"dropout-theta", 0.5},
          {"l2-theta", 0.001},    {"l2-xi", 0.001}};
}

void AcmGcn::check(const ModelOptions& options) {
  if (options.aggregator == Aggregator::mean ||
      options.aggregator == Aggregator::gcn) {
    return;
  }
  throw UsageError(fmt::format(
      "acm_gcn takes what is left of an average of the neighbours, so "
      "--aggregator must be mean or gcn, not {}",
      to_string(options.aggregator)));
}

}  // namespace ordered_gnn::nn
