#include "nn/baselines/gcnii.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

template <bool kIsStar>
class Gcnii : public LinearOutput {
 public:
  explicit Gcnii(const ModelPlan& plan) : LinearOutput(plan) {
    const int64_t width = options_.hidden;
    input_ = register_input(first_affine(plan, width));
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(std::make_shared<Weight>(
          uniform(empty_weight(plan.shape, kIsStar ? 2 * width : width, width),
                  1 / std::sqrt(static_cast<double>(width)), plan.random)));
    }
    register_parts(*this, "layers", layers_);
    output_ = register_module("output", class_affine(plan, width));
  }

  at::Tensor run(Pass& pass) override {
    at::Tensor h = dropped_linear(pass.first(), input_->weight, input_->bias,
                                  options_.dropout_theta, pass.sites)
                       .relu();
    pass.show(0, h);
    const at::Tensor initial = h * options_.alpha;
    for (size_t k = 0; k < layers_.size(); ++k) {
      const at::Tensor propagated =
          gcn_aggregate(pass.graph, pass.sites.drop(h, options_.dropout_xi)) *
          (1 - options_.alpha);
      h = run_layer(k, propagated, initial);
      pass.show(static_cast<int64_t>(k) + 1, h);
    }
    h = pass.sites.drop(h, options_.dropout_theta);
    pass.embed(h);
    return classify(h);
  }

 private:
  at::Tensor run_layer(size_t index, const at::Tensor& propagated,
                       const at::Tensor& initial) const {
    const double beta =
        std::log(options_.lambda / static_cast<double>(index + 1) + 1);
    const at::Tensor& weight = layers_[index]->weight;
    const at::Tensor no_bias = at::zeros({options_.hidden}, weight.options());
    const at::Tensor rest = propagated + initial;
    const at::Tensor mapped =
        kIsStar ? pair_linear(propagated, initial, weight, no_bias)
                : linear(rest, weight, no_bias);
    return (rest * (1 - beta) + mapped * beta).relu();
  }

  std::shared_ptr<Affine> input_;
  std::vector<std::shared_ptr<Weight>> layers_;
};

}  // namespace

const MakeModel kMakeGcnii = &make_baseline<Gcnii<false>>;

const MakeModel kMakeGcniiStar = &make_baseline<Gcnii<true>>;

}  // namespace ordered_gnn::nn
