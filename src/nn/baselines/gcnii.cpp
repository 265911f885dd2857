#include "nn/baselines/gcnii.h"

#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {

Gcnii::Gcnii(const ModelShape& shape, const ModelOptions& options, int64_t seed,
             bool is_star)
    : options_(options), is_star_(is_star) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  input_ = std::make_shared<Affine>(empty_first_weight(shape, width), random);
  register_parts(*this, "input", std::vector<std::shared_ptr<Affine>>{input_});
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Weight>(
        uniform(empty_weight(shape, is_star ? 2 * width : width, width),
                1 / std::sqrt(static_cast<double>(width)), random)));
  }
  register_parts(*this, "layers", layers_);
  output_ = register_module(
      "output", std::make_shared<Affine>(width, shape.num_classes, random));
}

at::Tensor Gcnii::run_layer(size_t index, const at::Tensor& propagated,
                            const at::Tensor& initial) const {
  const double beta =
      std::log(options_.lambda / static_cast<double>(index + 1) + 1);
  const at::Tensor& weight = layers_[index]->weight;
  const at::Tensor no_bias = at::zeros({options_.hidden}, weight.options());
  const at::Tensor rest = propagated + initial;
  const at::Tensor mapped =
      is_star_ ? pair_linear(propagated, initial, weight, no_bias)
               : linear(rest, weight, no_bias);
  return (rest * (1 - beta) + mapped * beta).relu();
}

at::Tensor Gcnii::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  at::Tensor h = dropped_linear({features, {}}, input_->weight, input_->bias,
                                options_.dropout_theta, sites)
                     .relu();
  trace_layer(trace, 0, h);
  const at::Tensor initial = h * options_.alpha;
  for (size_t k = 0; k < layers_.size(); ++k) {
    const at::Tensor propagated =
        gcn_aggregate(graph, sites.drop(h, options_.dropout_xi)) *
        (1 - options_.alpha);
    h = run_layer(k, propagated, initial);
    trace_layer(trace, static_cast<int64_t>(k) + 1, h);
  }
  h = sites.drop(h, options_.dropout_theta);
  if (trace != nullptr) trace->embeddings = h;
  return classify(h);
}

at::Tensor Gcnii::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

Json Gcnii::defaults() {
  return {{"self-loops", "add"}, {"layers", 64},   {"hidden", 64},
          {"alpha", 0.1},        {"lambda", 0.5},  {"dropout-theta", 0.6},
          {"dropout-xi", 0.6},   {"lr", 0.01},     {"l2-theta", 5e-4},
          {"l2-xi", 0.01},       {"epochs", 1500}, {"patience", 100}};
}

}  // namespace ordered_gnn::nn
