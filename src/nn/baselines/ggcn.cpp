#include "nn/baselines/ggcn.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ops/detail/weighted_aggregate.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {

Ggcn::Layer::Layer(const ModelShape& shape, int64_t in, int64_t out,
                   RandomStream& random) {
  at::Tensor empty = empty_weight(shape, in, out);
  const double bound = 1 / std::sqrt(std::max<double>(1, empty.size(1)));
  weight = register_parameter("weight", uniform(empty, bound, random));
  bias = register_parameter("bias",
                            uniform(empty_parameter({out}), bound, random));
  at::Tensor start = constant_parameter({2}, 0);
  if (!start.is_meta()) start[0] = 0.5;
  degree = register_parameter("degree", start);
  scale = register_parameter("scale", constant_parameter({1}, 2));
  shares = register_parameter("shares", constant_parameter({3}, 0));
}

Ggcn::Ggcn(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  input_ = std::make_shared<Affine>(empty_first_weight(shape, width), random);
  register_parts(*this, "input", std::vector<std::shared_ptr<Affine>>{input_});
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(
        shape, k == 0 ? 0 : width,
        k + 1 == options.layers ? shape.num_classes : width, random));
  }
  register_parts(*this, "layers", layers_);
}

Ggcn::Edges Ggcn::edges_of(const Graph& graph, at::ScalarType type) {
  const at::NoGradGuard no_grad;
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  const at::Tensor& senders = graph.in().col;
  const at::Tensor receivers =
      detail::receivers(graph.in().rowptr, graph.num_edges());
  const at::Tensor of_sender = root.index_select(0, senders);
  const at::Tensor of_receiver = root.index_select(0, receivers);
  const at::Tensor norm = of_sender * of_receiver * receivers.ne(senders);
  return {norm.to(type), (of_receiver / of_sender - 1).to(type)};
}

at::Tensor Ggcn::signed_messages(const Layer& layer, const Graph& graph,
                                 const Edges& edges, const at::Tensor& z) {
  const at::Tensor unit = unit_rows(z);
  const at::Tensor tau =
      at::softplus(edges.ratio * layer.degree[0] + layer.degree[1]);
  const at::Tensor w = edge_dot(graph, unit, unit) * edges.norm * tau;
  const at::Tensor c = layer.shares.softmax(/*dim=*/0);
  // Both sums in one pass over the edges.
  const at::Tensor weight = w.clamp_min(0) * c[0] + w.clamp_max(0) * c[1];
  return at::softplus(layer.scale) *
         (weighted_aggregate(graph, weight, z) + z * c[2]);
}

at::Tensor Ggcn::forward(const Graph& graph, const NodeFeatures& features,
                         const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  const DropoutKey key = sites.next();
  // Both maps of the features read the same mask.
  const auto of_features = [&](const at::Tensor& weight,
                               const at::Tensor& bias) {
    return dropped_linear({features, {}}, weight, bias, sites.rate(p), key);
  };
  at::Tensor sum = at::elu(of_features(input_->weight, input_->bias));
  trace_layer(trace, 0, sum);
  const Edges edges = edges_of(graph, sum.scalar_type());
  at::Tensor z = of_features(layers_[0]->weight, layers_[0]->bias);
  for (size_t k = 1; k < layers_.size(); ++k) {
    const at::Tensor y = signed_messages(*layers_[k - 1], graph, edges, z);
    const double depth =
        std::pow(static_cast<double>(k + 1), options_.exponent);
    const double decay = k == 1 ? 1.0 : std::log(options_.lambda / depth + 1);
    sum = sum + sites.drop(at::elu(y), p) * decay;
    trace_layer(trace, static_cast<int64_t>(k), sum);
    z = dropped_linear({features, sum}, layers_[k]->weight, layers_[k]->bias, 0,
                       key);
  }
  if (trace != nullptr) trace->embeddings = sum;
  const at::Tensor logits = signed_messages(*layers_.back(), graph, edges, z);
  trace_layer(trace, static_cast<int64_t>(layers_.size()), logits);
  return logits;
}

Json Ggcn::defaults() {
  return {{"self-loops", "add"}, {"layers", 32},      {"hidden", 16},
          {"lambda", 0.9},       {"exponent", 3.0},   {"dropout-theta", 0.5},
          {"lr", 0.01},          {"l2-theta", 0.001}, {"l2-xi", 0.001},
          {"epochs", 1500},      {"patience", 100}};
}

void Ggcn::check(const ModelOptions& options) {
  if (options.layers < 2) {
    throw UsageError(
        "ggcn has a first and a last layer, so --layers must be at least 2");
  }
}

}  // namespace ordered_gnn::nn
