#include "nn/baselines/fagcn.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
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

class Fagcn : public LinearOutput {
 public:
  explicit Fagcn(const ModelPlan& plan) : LinearOutput(plan) {
    const int64_t width = options_.hidden;
    input_ = register_input(
        wide_glorot(empty_first_weight(plan.shape, width), plan.random));
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(std::make_shared<Layer>(width, plan.random));
    }
    register_parts(*this, "layers", layers_);
    output_ = register_module(
        "output", wide_glorot(empty_parameter({plan.shape.num_classes, width}),
                              plan.random));
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    const at::Tensor first =
        pass.sites.drop(dropped_linear(pass.first(), input_->weight,
                                       input_->bias, p, pass.sites)
                            .relu(),
                        p);
    pass.show(0, first);
    const at::Tensor root = pass.graph.inverse_in_degree()
                                .sqrt()
                                .to(first.scalar_type())
                                .unsqueeze(1);
    at::Tensor h = first;
    for (size_t k = 0; k < layers_.size(); ++k) {
      const Layer& layer = *layers_[k];
      const at::Tensor of_ends = linear(
          h, layer.weight, at::cat({at::zeros_like(layer.bias), layer.bias}));
      const at::Tensor attention =
          edge_scores(pass.graph, of_ends.select(1, 0), of_ends.select(1, 1))
              .tanh();
      h = weighted_aggregate(pass.graph,
                             pass.sites.drop(attention, options_.dropout_xi),
                             h * root) *
              root +
          first * options_.alpha;
      pass.show(static_cast<int64_t>(k) + 1, h);
    }
    pass.embed(h);
    return classify(h);
  }

 private:
  struct Layer : torch::nn::Module {
    Layer(int64_t width, RandomStream& random) {
      // Both rows are one map of 2 D numbers to a score.
      const double ends = 2 * static_cast<double>(width) + 1;
      weight = register_parameter("weight",
                                  uniform(empty_parameter({2, width}),
                                          std::sqrt(2 * 6 / ends), random));
      const double bound = 1 / std::sqrt(ends - 1);
      bias = register_parameter("bias",
                                uniform(empty_parameter({1}), bound, random));
    }

    at::Tensor weight;
    at::Tensor bias;
  };

  std::shared_ptr<Affine> input_;
  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeFagcn = &make_baseline<Fagcn>;

}  // namespace ordered_gnn::nn
