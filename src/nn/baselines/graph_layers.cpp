#include "nn/baselines/graph_layers.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {

at::Tensor DropoutSites::drop(const at::Tensor& x, double p) {
  const DropoutKey key = next();
  return dropout(x, rate(p), key);
}

at::Tensor dropped_linear(const LayerInput& x, const at::Tensor& weight,
                          const at::Tensor& bias, double p,
                          const DropoutKey& key) {
  const at::Tensor shift =
      bias.defined() ? bias : at::zeros({weight.size(0)}, weight.options());
  if (!x.h.defined()) {
    return feature_linear(x.features, weight, shift, p, key);
  }
  return linear(dropout(x.h, p, key), weight, shift);
}

at::Tensor dropped_linear(const LayerInput& x, const at::Tensor& weight,
                          const at::Tensor& bias, double p,
                          DropoutSites& sites) {
  const DropoutKey key = sites.next();
  return dropped_linear(x, weight, bias, sites.rate(p), key);
}

at::Tensor empty_weight(const ModelShape& shape, int64_t in, int64_t out) {
  return in == 0 ? empty_first_weight(shape, out) : empty_parameter({out, in});
}

at::Tensor uniform(at::Tensor empty, double bound, RandomStream& random) {
  fill_uniform(empty, -bound, bound, random);
  return empty;
}

at::Tensor glorot(at::Tensor empty, RandomStream& random) {
  const auto ends = static_cast<double>(empty.size(0) + empty.size(1));
  return uniform(std::move(empty), std::sqrt(6.0 / std::max(1.0, ends)),
                 random);
}

RowPerNode::RowPerNode(int64_t num_nodes, int64_t out, RandomStream& random) {
  const double bound =
      1.0 / std::sqrt(std::max<double>(1, static_cast<double>(num_nodes)));
  weight = register_parameter(
      "weight", uniform(empty_parameter({num_nodes, out}), bound, random));
  bias = register_parameter("bias",
                            uniform(empty_parameter({out}), bound, random));
}

at::Tensor RowPerNode::forward(const Graph& graph) const {
  return scaled_aggregate(graph, {}, {}, weight) + bias;
}

at::Tensor one_hot_labels(const KnownLabels* known, int64_t num_nodes,
                          int64_t num_classes,
                          const at::TensorOptions& options) {
  const at::Tensor out = at::zeros({num_nodes, num_classes}, options);
  if (known == nullptr) return out;
  out.view(-1).index_fill_(0, known->nodes * num_classes + known->labels, 1);
  return out;
}

at::Tensor log_shares(const at::Tensor& scores) {
  constexpr double kLeastSum = 1e-30, kLeastShare = 1e-12;
  const at::Tensor positive = scores.clamp_min(0);
  const at::Tensor sums = positive.sum(1, /*keepdim=*/true);
  return (positive / sums.clamp_min(kLeastSum)).clamp_min(kLeastShare).log();
}

at::Tensor unit_rows(const at::Tensor& h) {
  constexpr double kLeastLength = 1e-12;
  return h / h.norm(2, /*dim=*/1, /*keepdim=*/true).clamp_min(kLeastLength);
}

GraphConvolution::GraphConvolution(const ModelShape& shape, int64_t in,
                                   int64_t out, RandomStream& random) {
  weight = register_parameter("weight",
                              glorot(empty_weight(shape, in, out), random));
  bias = register_parameter("bias", constant_parameter({out}, 0));
}

at::Tensor GraphConvolution::forward(const Graph& graph, const LayerInput& x,
                                     double p, DropoutSites& sites) const {
  return gcn_aggregate(graph, dropped_linear(x, weight, {}, p, sites)) + bias;
}

SageConvolution::SageConvolution(const ModelShape& shape, Aggregator aggregator,
                                 int64_t in, int64_t out,
                                 RandomStream& random) {
  weight = register_parameter("weight",
                              glorot(empty_weight(shape, in, 2 * out), random));
  bias = register_parameter("bias", constant_parameter({out}, 0));
  aggregate = register_module(
      "attention", std::make_shared<AggregateStage>(aggregator, out, random));
}

at::Tensor SageConvolution::forward(const Graph& graph, const LayerInput& x,
                                    double p, DropoutSites& sites) const {
  const at::Tensor both = dropped_linear(x, weight, {}, p, sites);
  const std::vector<at::Tensor> part = both.chunk(2, /*dim=*/1);
  return part[0] + aggregate->forward(graph, part[1]) + bias;
}

}  // namespace ordered_gnn::nn
