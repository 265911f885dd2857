#include "nn/baselines/gprgnn.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

std::vector<double> absolute_shares(std::vector<double> values) {
  double total = 0;
  for (const double value : values) total += std::abs(value);
  for (double& value : values) value /= std::max(total, 1e-300);
  return values;
}

std::vector<double> first_hop_weights(const ModelOptions& options,
                                      RandomStream& random) {
  const int64_t hops = options.hops;
  std::vector<double> gamma(hops + 1, 0.0);
  switch (options.hop_weights) {
    case HopWeights::ppr:
      for (int64_t k = 0; k < hops; ++k) {
        gamma[k] = options.alpha * std::pow(1 - options.alpha, k);
      }
      gamma[hops] = std::pow(1 - options.alpha, hops);
      return gamma;
    case HopWeights::nppr:
      for (int64_t k = 0; k <= hops; ++k) gamma[k] = std::pow(options.alpha, k);
      return absolute_shares(gamma);
    case HopWeights::last:
      gamma[hops] = 1;
      return gamma;
    case HopWeights::random:
      break;
  }
  const double bound = std::sqrt(3.0 / static_cast<double>(hops + 1));
  for (double& value : gamma) value = bound * (2 * random.uniform() - 1);
  return absolute_shares(gamma);
}

}  // namespace

GprGnn::GprGnn(const ModelShape& shape, const ModelOptions& options,
               int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  mlp_ = std::make_unique<PlainMlp>(*this, "output", shape, options, random);
  at::Tensor gamma = empty_parameter({options.hops + 1});
  if (!gamma.is_meta()) {
    gamma.copy_(torch::tensor(first_hop_weights(options, random)));
  }
  gamma_ = register_parameter("gamma", gamma);
}

at::Tensor GprGnn::forward(const Graph& graph, const NodeFeatures& features,
                           const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  at::Tensor z =
      sites.drop(mlp_->forward(features, sites, trace), options_.dropout_xi);
  at::Tensor logits = z * gamma_[0];
  trace_layer(trace, 0, logits);
  for (int64_t k = 1; k <= options_.hops; ++k) {
    z = gcn_aggregate(graph, z);
    logits = logits + z * gamma_[k];
    trace_layer(trace, k, logits);
  }
  return logits;
}

at::Tensor GprGnn::classify(const at::Tensor& state) const { return state; }

Json GprGnn::defaults() {
  return {{"self-loops", "add"},  {"hops", 10},        {"alpha", 0.1},
          {"hop-weights", "ppr"}, {"mlp-layers", 1},   {"hidden", 64},
          {"dropout-theta", 0.5}, {"dropout-xi", 0.5}, {"lr", 0.01},
          {"l2-theta", 5e-4},     {"l2-xi", 0.0},      {"epochs", 1000},
          {"patience", 200}};
}

}  // namespace ordered_gnn::nn
