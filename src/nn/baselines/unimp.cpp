#include "nn/baselines/unimp.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

class UniMp : public Baseline {
 public:
  explicit UniMp(const ModelPlan& plan)
      : Baseline(plan), num_classes_(plan.shape.num_classes) {
    label_ = register_module(
        "label",
        std::make_shared<Weight>(glorot(
            empty_parameter({plan.shape.num_classes, plan.shape.num_features}),
            plan.random)));
    for (int64_t k = 0; k < options_.layers; ++k) {
      const bool is_last = k + 1 == options_.layers;
      layers_.push_back(std::make_shared<Layer>(
          plan.shape, k == 0 ? 0 : options_.hidden, options_.heads,
          is_last ? plan.shape.num_classes : options_.hidden / options_.heads,
          is_last, plan.random));
    }
    register_parts(*this, "layers", layers_);
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    for (size_t k = 0; k + 1 < layers_.size(); ++k) {
      const Layer& layer = *layers_[k];
      const at::Tensor y = transformed(
          layer, pass.graph, projected(layer, x, pass.context, pass.sites),
          pass.sites);
      x.h =
          layer_norm(y, layer.norm->weight, layer.norm->bias, kNormEps).relu();
    }
    const Layer& last = *layers_.back();
    const at::Tensor logits =
        transformed(last, pass.graph,
                    projected(last, x, pass.context, pass.sites), pass.sites);
    pass.embed(x, logits);
    return logits;
  }

  std::optional<double> told_labels() const override {
    return options_.label_rate;
  }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t num_heads, int64_t width,
          bool last, RandomStream& random)
        : heads(num_heads), head_width(width), is_last(last) {
      const int64_t all = heads * head_width;
      const int64_t out = is_last ? head_width : all;
      weight = register_parameter(
          "weight", glorot(empty_weight(shape, in, 3 * all + out), random));
      bias = register_parameter("bias", constant_parameter({3 * all + out}, 0));
      gate = register_parameter(
          "gate",
          uniform(empty_parameter({3 * out}),
                  std::sqrt(6.0 / static_cast<double>(3 * out + 1)), random));
      if (is_last) return;
      norm = register_module("norm",
                             std::make_shared<Normalization>(Norm::layer, out));
    }

    int64_t heads;
    int64_t head_width;
    bool is_last;
    at::Tensor weight;
    at::Tensor bias;
    at::Tensor gate;
    std::shared_ptr<Normalization> norm;  ///< null in the last layer
  };
  /// q, k, v and r of a layer, side by side.
  at::Tensor projected(const Layer& layer, const LayerInput& x,
                       const ForwardContext& context,
                       DropoutSites& sites) const {
    const at::Tensor out = dropped_linear(x, layer.weight, layer.bias,
                                          options_.dropout_theta, sites);
    if (x.h.defined() || context.known == nullptr) return out;
    const at::Tensor told =
        one_hot_labels(context.known, out.size(0), num_classes_, out.options());
    const at::Tensor shift = at::zeros({out.size(1)}, out.options());
    return out +
           linear(told, linear(label_->weight, layer.weight, shift).t(), shift);
  }

  /// y of a layer.
  at::Tensor transformed(const Layer& layer, const Graph& graph,
                         const at::Tensor& qkvr, DropoutSites& sites) const {
    const int64_t all = layer.heads * layer.head_width;
    const std::vector<at::Tensor> parts =
        qkvr.split_with_sizes({all, all, all, qkvr.size(1) - 3 * all}, 1);
    const double scale = 1 / std::sqrt(static_cast<double>(layer.head_width));
    const at::Tensor scores =
        edge_dot(graph, parts[0] * scale, parts[1], layer.heads);
    const at::Tensor attention = edge_softmax(graph, scores);
    at::Tensor m = weighted_aggregate(
        graph, sites.drop(attention, options_.dropout_xi), parts[2]);
    if (layer.is_last) {
      m = m.view({m.size(0), layer.heads, layer.head_width}).mean(1);
    }
    const at::Tensor& r = parts[3];
    // [m ; r ; m - r] w_g without building the three side by side.
    const std::vector<at::Tensor> of = layer.gate.chunk(3);
    const at::Tensor weight = at::cat({of[0] + of[2], of[1] - of[2]});
    const at::Tensor gate =
        pair_linear(m, r, weight.unsqueeze(0), at::zeros({1}, m.options()))
            .sigmoid();
    return m + gate * (r - m);
  }

  int64_t num_classes_;
  std::shared_ptr<Weight> label_;
  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeUnimp = &make_baseline<UniMp>;

}  // namespace ordered_gnn::nn
