#include "nn/baselines/linkx.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

class Linkx : public Baseline {
 public:
  explicit Linkx(const ModelPlan& plan) : Baseline(plan) {
    const int64_t width = options_.hidden;
    adjacency_ = register_module(
        "adjacency", std::make_shared<Perceptron<RowPerNode>>(
                         std::make_shared<RowPerNode>(plan.shape.num_nodes,
                                                      width, plan.random),
                         options_.layers, width, width, plan.random));
    input_ =
        register_module("input", std::make_shared<Perceptron<Affine>>(
                                     first_affine(plan, width), options_.layers,
                                     width, width, plan.random));
    combine_ = register_module(
        "combine", std::make_shared<Affine>(2 * width, width, plan.random));
    const int64_t first_out =
        options_.mlp_layers > 1 ? width : plan.shape.num_classes;
    output_ = register_module(
        "output",
        std::make_shared<Perceptron<Affine>>(
            std::make_shared<Affine>(width, first_out, plan.random),
            options_.mlp_layers, width, plan.shape.num_classes, plan.random));
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor a =
        run_later(adjacency_->later, adjacency_->first->forward(pass.graph),
                  /*dropout=*/0, pass);
    const at::Tensor x =
        run_later(input_->later,
                  dropped_linear(pass.first(), input_->first->weight,
                                 input_->first->bias, 0, pass.sites),
                  /*dropout=*/0, pass);
    const at::Tensor both =
        (pair_linear(a, x, combine_->weight, combine_->bias) + a + x).relu();
    pass.embed(both);
    return run_later(output_->later,
                     linear(both, output_->first->weight, output_->first->bias),
                     options_.dropout_theta, pass);
  }

  bool needs_whole_graph() const override { return true; }

 private:
  /// A norm with the Linear behind it.
  struct LaterLayer : torch::nn::Module {
    LaterLayer(int64_t in, int64_t out, RandomStream& random)
        : norm(register_module(
              "norm", std::make_shared<Normalization>(Norm::batch, in))),
          linear(register_module("linear",
                                 std::make_shared<Affine>(in, out, random))) {}

    std::shared_ptr<Normalization> norm;
    std::shared_ptr<Affine> linear;
  };
  /// A perceptron whose first map is of the kind First.
  template <typename First>
  struct Perceptron : torch::nn::Module {
    /// @param out  width of the last of `layers` layers.
    Perceptron(std::shared_ptr<First> map, int64_t layers, int64_t width,
               int64_t out, RandomStream& random)
        : first(register_module("first", std::move(map))) {
      for (int64_t i = 1; i < layers; ++i) {
        later.push_back(std::make_shared<LaterLayer>(
            width, i + 1 == layers ? out : width, random));
      }
      register_parts(*this, "later", later);
    }

    std::shared_ptr<First> first;
    std::vector<std::shared_ptr<LaterLayer>> later;
  };
  static at::Tensor run_later(
      const std::vector<std::shared_ptr<LaterLayer>>& later, at::Tensor h,
      double dropout, Pass& pass) {
    for (const auto& layer : later) {
      h = layer->norm->forward(h.relu(), pass.context.training);
      h = linear(pass.sites.drop(h, dropout), layer->linear->weight,
                 layer->linear->bias);
    }
    return h;
  }

  std::shared_ptr<Perceptron<RowPerNode>> adjacency_;
  std::shared_ptr<Perceptron<Affine>> input_;
  std::shared_ptr<Affine> combine_;
  std::shared_ptr<Perceptron<Affine>> output_;
};

}  // namespace

const MakeModel kMakeLinkx = &make_baseline<Linkx>;

std::string unread_by_linkx(const ModelOptions& options,
                            const std::string& option) {
  return option == "dropout-theta" && options.mlp_layers == 1
             ? "with --mlp-layers 1 linkx has no hidden layer of its output "
               "for {}"
             : "";
}

}  // namespace ordered_gnn::nn
