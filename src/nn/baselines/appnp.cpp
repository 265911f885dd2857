#include "nn/baselines/appnp.h"

#include <torch/types.h>

#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

// gcn_aggregate() with dropout of its edges.
at::Tensor dropped_propagation(const Graph& graph, const at::Tensor& z,
                               double p, DropoutSites& sites) {
  if (sites.rate(p) == 0) return gcn_aggregate(graph, z);
  if (graph.weights().defined()) {
    const at::Tensor kept =
        sites.drop(graph.factors().symmetric.to(z.scalar_type()), p);
    return weighted_aggregate(graph, kept, z);
  }
  const at::Tensor root =
      graph.inverse_in_degree().sqrt().to(z.scalar_type()).unsqueeze(1);
  const at::Tensor kept =
      sites.drop(at::ones({graph.num_edges()}, z.options()), p);
  return root * weighted_aggregate(graph, kept, root * z);
}

}  // namespace

Appnp::Appnp(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  mlp_ = std::make_unique<PlainMlp>(*this, "last", shape, options, random);
}

at::Tensor Appnp::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const at::Tensor start = mlp_->forward(features, sites, trace);
  const at::Tensor teleport = start * options_.alpha;
  at::Tensor z = start;
  trace_layer(trace, 0, z);
  for (int64_t k = 0; k < options_.hops; ++k) {
    z = dropped_propagation(graph, z, options_.dropout_xi, sites) *
            (1 - options_.alpha) +
        teleport;
    trace_layer(trace, k + 1, z);
  }
  return z;
}

at::Tensor Appnp::classify(const at::Tensor& state) const { return state; }

Json Appnp::defaults() {
  return {{"self-loops", "add"}, {"hops", 10},     {"alpha", 0.1},
          {"mlp-layers", 1},     {"hidden", 64},   {"dropout-theta", 0.5},
          {"dropout-xi", 0.5},   {"lr", 0.01},     {"l2-theta", 0.005},
          {"l2-xi", 0.0},        {"patience", 100}};
}

}  // namespace ordered_gnn::nn
