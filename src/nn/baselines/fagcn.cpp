#include "nn/baselines/fagcn.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

// An Affine whose weight starts as the paper's.
std::shared_ptr<Affine> wide_glorot(const at::Tensor& empty,
                                    RandomStream& random) {
  auto map = std::make_shared<Affine>(empty, random);
  if (map->weight.is_meta()) return map;
  const at::NoGradGuard no_grad;
  glorot(map->weight, random).mul_(std::sqrt(2.0));
  return map;
}

}  // namespace

Fagcn::Layer::Layer(int64_t width, RandomStream& random) {
  // Both rows are one map of 2 D numbers to a score.
  const double ends = 2 * static_cast<double>(width) + 1;
  weight = register_parameter(
      "weight",
      uniform(empty_parameter({2, width}), std::sqrt(2 * 6 / ends), random));
  const double bound = 1 / std::sqrt(ends - 1);
  bias =
      register_parameter("bias", uniform(empty_parameter({1}), bound, random));
}

Fagcn::Fagcn(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  input_ = wide_glorot(empty_first_weight(shape, width), random);
  register_parts(*this, "input", std::vector<std::shared_ptr<Affine>>{input_});
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(width, random));
  }
  register_parts(*this, "layers", layers_);
  output_ = register_module(
      "output",
      wide_glorot(empty_parameter({shape.num_classes, width}), random));
}

at::Tensor Fagcn::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  const at::Tensor first = sites.drop(
      dropped_linear({features, {}}, input_->weight, input_->bias, p, sites)
          .relu(),
      p);
  trace_layer(trace, 0, first);
  const at::Tensor root =
      graph.inverse_in_degree().sqrt().to(first.scalar_type()).unsqueeze(1);
  at::Tensor h = first;
  for (size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = *layers_[k];
    const at::Tensor of_ends = linear(
        h, layer.weight, at::cat({at::zeros_like(layer.bias), layer.bias}));
    const at::Tensor attention =
        edge_scores(graph, of_ends.select(1, 0), of_ends.select(1, 1)).tanh();
    h = weighted_aggregate(graph, sites.drop(attention, options_.dropout_xi),
                           h * root) *
            root +
        first * options_.alpha;
    trace_layer(trace, static_cast<int64_t>(k) + 1, h);
  }
  if (trace != nullptr) trace->embeddings = h;
  return classify(h);
}

at::Tensor Fagcn::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

Json Fagcn::defaults() {
  return {{"self-loops", "remove"}, {"layers", 2},      {"hidden", 32},
          {"alpha", 0.3},           {"lr", 0.01},       {"dropout-theta", 0.5},
          {"dropout-xi", 0.5},      {"l2-theta", 5e-5}, {"l2-xi", 5e-5},
          {"epochs", 500},          {"patience", 200}};
}

}  // namespace ordered_gnn::nn
