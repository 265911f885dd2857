#include "nn/baselines/polynormer.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/affixes.h"
#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/graph_layers.h"
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

class Polynormer : public Baseline {
 public:
  explicit Polynormer(const ModelPlan& plan) : Baseline(plan) {
    input_ = register_module("input", first_affine(plan, options_.hidden));
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(
          std::make_shared<LocalLayer>(plan.shape, options_, plan.random));
    }
    register_parts(*this, "layers", layers_);
    local_output_ =
        register_module("local_output", class_affine(plan, options_.hidden));
    global_norm_ = register_module("global_norm", row_norm(options_));
    for (int64_t l = 0; l < options_.global_layers; ++l) {
      attention_.push_back(
          std::make_shared<GlobalLayer>(options_, plan.random));
    }
    register_parts(*this, "attention", attention_);
    attention_output_ =
        register_module("attention_output", square_map(options_, plan.random));
    output_ = register_module("output", class_affine(plan, options_.hidden));
    phase_ = register_buffer(
        "phase", constant_parameter({1}, options_.local_epochs == 0 ? 1 : 0));
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor local = local_state(pass.graph, pass.features, pass.sites);
    const at::Tensor global = global_state(local, pass.sites);
    const at::Tensor take_global = is_global(pass.context);
    pass.embed(at::where(take_global, global, local));
    return at::where(take_global, mapped(*output_, global),
                     mapped(*local_output_, local));
  }

  bool needs_whole_graph() const override { return true; }
  int64_t first_step(const std::string& parameter_name) const override {
    for (const char* part :
         {"global_norm.", "attention.", "attention_output.", "output."}) {
      if (core::starts_with(parameter_name, part)) {
        return options_.local_epochs + 1;
      }
    }
    return 1;
  }

 private:
  struct LocalLayer : torch::nn::Module {
    LocalLayer(const ModelShape& shape, const ModelOptions& options,
               RandomStream& random) {
      const int64_t width = options.hidden;
      const AttentionSize size{options.heads, width / options.heads, width};
      convolution = register_module(
          "convolution", std::make_shared<AttentionConvolution>(
                             shape, width, size, /*dropout=*/0, random));
      residual = register_module(
          "residual", std::make_shared<Weight>(uniform(
                          empty_parameter({width, width}),
                          1 / std::sqrt(static_cast<double>(width)), random)));
      gate = register_module("gate", square_map(options, random));
      norm = register_module("norm", row_norm(options));
      beta = register_parameter("beta",
                                first_beta(options, options.layers, random));
    }

    std::shared_ptr<AttentionConvolution> convolution;
    std::shared_ptr<Weight> residual;
    std::shared_ptr<Affine> gate;
    std::shared_ptr<Normalization> norm;
    at::Tensor beta;
  };
  struct GlobalLayer : torch::nn::Module {
    GlobalLayer(const ModelOptions& options, RandomStream& random) {
      key = register_module("key", square_map(options, random));
      value = register_module("value", square_map(options, random));
      gate = register_module("gate", square_map(options, random));
      norm = register_module("norm", row_norm(options));
      beta = register_parameter(
          "beta", first_beta(options, options.global_layers, random));
    }

    std::shared_ptr<Affine> key;
    std::shared_ptr<Affine> value;
    std::shared_ptr<Affine> gate;
    std::shared_ptr<Normalization> norm;
    at::Tensor beta;
  };
  /// S.
  at::Tensor local_state(const Graph& graph, const NodeFeatures& features,
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

  /// z_L of S.
  at::Tensor global_state(const at::Tensor& local, DropoutSites& sites) const {
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

  /// a of q and v.
  at::Tensor attended(const at::Tensor& q, const at::Tensor& v) const {
    const int64_t heads = options_.heads;
    const int64_t width = q.size(1) / heads;
    const at::Tensor summed =
        ops::transposed_product(v, q) * same_head(heads, q);
    const at::Tensor numerator =
        linear(q, summed, at::zeros({q.size(1)}, q.options()));
    const at::Tensor denominator =
        (q * q.sum(0)).view({q.size(0), heads, width}).sum(2, /*keepdim=*/true);
    return (numerator.view({q.size(0), heads, width}) / denominator)
        .view({q.size(0), q.size(1)});
  }

  /// [1] bool, on the device: whether the logits are global.
  at::Tensor is_global(const ForwardContext& context) {
    if (!context.training) return phase_.gt(0.5);
    const at::NoGradGuard no_grad;
    // A CUDA graph is recorded once for all steps: the device looks at the
    // step.
    const at::Tensor& step = context.step.tensor;
    if (step.defined()) {
      phase_.copy_(step.view({1}).gt(options_.local_epochs));
    } else {
      phase_.fill_(context.step.number > options_.local_epochs ? 1 : 0);
    }
    // A copy: the next pass may write to the buffer before backward reads this.
    return phase_.gt(0.5);
  }

  std::shared_ptr<Affine> input_;
  std::vector<std::shared_ptr<LocalLayer>> layers_;
  std::shared_ptr<Affine> local_output_;
  std::shared_ptr<Normalization> global_norm_;
  std::vector<std::shared_ptr<GlobalLayer>> attention_;
  std::shared_ptr<Affine> attention_output_;
  std::shared_ptr<Affine> output_;
  at::Tensor phase_;
};

}  // namespace

const MakeModel kMakePolynormer = &make_baseline<Polynormer>;

}  // namespace ordered_gnn::nn
