#include "nn/baselines/polynormer.h"

#include <torch/types.h>

#include <cmath>

#include "core/affixes.h"
#include "nn/baselines/gat.h"
#include "nn/parameters.h"
#include "ops/transposed_product.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

std::shared_ptr<Affine> square_map(const ModelOptions& options,
                                   RandomStream& random) {
  return std::make_shared<Affine>(options.hidden, options.hidden, random);
}

std::shared_ptr<Normalization> row_norm(const ModelOptions& options) {
  return std::make_shared<Normalization>(Norm::layer, options.hidden);
}

// Sigmoids of these are near one half: as a row of a glorot() matrix with one
// row per layer.
at::Tensor first_beta(const ModelOptions& options, int64_t layers,
                      RandomStream& random) {
  const auto ends = static_cast<double>(layers + options.hidden);
  return uniform(empty_parameter({options.hidden}), std::sqrt(6 / ends),
                 random);
}

at::Tensor mapped(const Affine& map, const at::Tensor& x) {
  return linear(x, map.weight, map.bias);
}

// [D, D]: 1 where both columns belong to the same head.
at::Tensor same_head(int64_t heads, const at::Tensor& like) {
  const int64_t width = like.size(1) / heads;
  return at::eye(heads, like.options())
      .view({heads, 1, heads, 1})
      .expand({heads, width, heads, width})
      .reshape({heads * width, heads * width});
}

}  // namespace

Polynormer::LocalLayer::LocalLayer(const ModelShape& shape,
                                   const ModelOptions& options,
                                   RandomStream& random) {
  const int64_t width = options.hidden;
  const AttentionSize size{options.heads, width / options.heads, width};
  convolution = register_module("convolution",
                                std::make_shared<AttentionConvolution>(
                                    shape, width, size, /*dropout=*/0, random));
  residual = register_module(
      "residual", std::make_shared<Weight>(uniform(
                      empty_parameter({width, width}),
                      1 / std::sqrt(static_cast<double>(width)), random)));
  gate = register_module("gate", square_map(options, random));
  norm = register_module("norm", row_norm(options));
  beta =
      register_parameter("beta", first_beta(options, options.layers, random));
}

Polynormer::GlobalLayer::GlobalLayer(const ModelOptions& options,
                                     RandomStream& random) {
  key = register_module("key", square_map(options, random));
  value = register_module("value", square_map(options, random));
  gate = register_module("gate", square_map(options, random));
  norm = register_module("norm", row_norm(options));
  beta = register_parameter("beta",
                            first_beta(options, options.global_layers, random));
}

Polynormer::Polynormer(const ModelShape& shape, const ModelOptions& options,
                       int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  const auto classifier = [&] {
    return std::make_shared<Affine>(width, shape.num_classes, random);
  };
  input_ = register_module(
      "input",
      std::make_shared<Affine>(empty_first_weight(shape, width), random));
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<LocalLayer>(shape, options, random));
  }
  register_parts(*this, "layers", layers_);
  local_output_ = register_module("local_output", classifier());
  global_norm_ = register_module("global_norm", row_norm(options));
  for (int64_t l = 0; l < options.global_layers; ++l) {
    attention_.push_back(std::make_shared<GlobalLayer>(options, random));
  }
  register_parts(*this, "attention", attention_);
  attention_output_ =
      register_module("attention_output", square_map(options, random));
  output_ = register_module("output", classifier());
  phase_ = register_buffer(
      "phase", constant_parameter({1}, options.local_epochs == 0 ? 1 : 0));
}

at::Tensor Polynormer::local_state(const Graph& graph,
                                   const NodeFeatures& features,
                                   DropoutSites& sites) const {
  const double p = options_.dropout_xi;
  at::Tensor x =
      sites.drop(dropped_linear({features, {}}, input_->weight, input_->bias,
                                options_.dropout_theta, sites),
                 p);
  at::Tensor sum;
  for (const auto& layer : layers_) {
    const at::Tensor heard =
        layer->convolution->forward(graph, {features, x}, 0, sites) +
        dropped_linear({features, x}, layer->residual->weight, {}, 0, sites);
    const at::Tensor y = sites.drop(heard.relu(), p);
    const at::Tensor gated = mapped(*layer->gate, x).relu() * y;
    const at::Tensor normed = layer->norm->forward(gated, /*training=*/false);
    x = at::lerp(normed, y, layer->beta.sigmoid());
    sum = sum.defined() ? sum + x : x;
  }
  return sum;
}

at::Tensor Polynormer::attended(const at::Tensor& q,
                                const at::Tensor& v) const {
  const int64_t heads = options_.heads;
  const int64_t width = q.size(1) / heads;
  const at::Tensor summed = ops::transposed_product(v, q) * same_head(heads, q);
  const at::Tensor numerator =
      linear(q, summed, at::zeros({q.size(1)}, q.options()));
  const at::Tensor denominator =
      (q * q.sum(0)).view({q.size(0), heads, width}).sum(2, /*keepdim=*/true);
  return (numerator.view({q.size(0), heads, width}) / denominator)
      .view({q.size(0), q.size(1)});
}

at::Tensor Polynormer::global_state(const at::Tensor& local,
                                    DropoutSites& sites) const {
  at::Tensor z = global_norm_->forward(local, /*training=*/false);
  for (const auto& layer : attention_) {
    const at::Tensor a =
        attended(mapped(*layer->key, z).sigmoid(), mapped(*layer->value, z));
    const at::Tensor normed = layer->norm->forward(a, /*training=*/false);
    const at::Tensor gated =
        normed * (mapped(*layer->gate, z) + layer->beta.sigmoid());
    z = sites.drop(mapped(*attention_output_, gated).relu(),
                   options_.dropout_xi);
  }
  return z;
}

at::Tensor Polynormer::is_global(const ForwardContext& context) {
  if (!context.training) return phase_.gt(0.5);
  const at::NoGradGuard no_grad;
  // A CUDA graph is recorded once for all steps: the device looks at the step.
  const at::Tensor& step = context.step.tensor;
  if (step.defined()) {
    phase_.copy_(step.view({1}).gt(options_.local_epochs));
  } else {
    phase_.fill_(context.step.number > options_.local_epochs ? 1 : 0);
  }
  // A copy: the next pass may write to the buffer before backward reads this.
  return phase_.gt(0.5);
}

at::Tensor Polynormer::forward(const Graph& graph, const NodeFeatures& features,
                               const ForwardContext& context,
                               ForwardTrace* trace) {
  DropoutSites sites(context);
  const at::Tensor local = local_state(graph, features, sites);
  const at::Tensor global = global_state(local, sites);
  const at::Tensor take_global = is_global(context);
  if (trace != nullptr) {
    trace->embeddings = at::where(take_global, global, local);
  }
  return at::where(take_global, mapped(*output_, global),
                   mapped(*local_output_, local));
}

int64_t Polynormer::first_step(const std::string& parameter_name) const {
  for (const char* part :
       {"global_norm.", "attention.", "attention_output.", "output."}) {
    if (core::starts_with(parameter_name, part)) {
      return options_.local_epochs + 1;
    }
  }
  return 1;
}

Json Polynormer::defaults() {
  return {{"self-loops", "add"}, {"layers", 7},       {"global-layers", 2},
          {"hidden", 512},       {"heads", 8},        {"local-epochs", 100},
          {"lr", 0.001},         {"dropout-xi", 0.5}, {"dropout-theta", 0.2},
          {"l2-theta", 5e-5},    {"l2-xi", 5e-5},     {"epochs", 1100},
          {"patience", 1100}};
}

void Polynormer::check(const ModelOptions& options) { Gat::check(options); }

}  // namespace ordered_gnn::nn
