#include "nn/baselines/incepgcn.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::nn {
namespace {

// The number of convolutions grows with the square of the layers.
constexpr int64_t kMostBranchLayers = 128;

class IncepGcn : public Baseline {
 public:
  explicit IncepGcn(const ModelPlan& plan) : Baseline(plan) {
    const int64_t width = options_.hidden;
    input_ = register_input(
        std::make_shared<GraphConvolution>(plan.shape, 0, width, plan.random));
    torch::nn::ModuleList list;
    for (int64_t depth = 1; depth + 1 < options_.layers; ++depth) {
      Branch branch;
      torch::nn::ModuleList parts;
      for (int64_t i = 0; i < depth; ++i) {
        branch.push_back(std::make_shared<GraphConvolution>(
            plan.shape, width, width, plan.random));
        parts->push_back(branch.back());
      }
      list->push_back(parts);
      branches_.push_back(std::move(branch));
    }
    register_module("branches", list.ptr());
    output_ =
        register_module("output", std::make_shared<GraphConvolution>(
                                      plan.shape, (options_.layers - 1) * width,
                                      plan.shape.num_classes, plan.random));
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    const at::Tensor start =
        input_->forward(pass.graph, pass.first(), p, pass.sites).relu();
    std::vector<at::Tensor> ends = {start};
    for (const Branch& branch : branches_) {
      LayerInput x{pass.features, start};
      for (const auto& layer : branch) {
        x.h = layer->forward(pass.graph, x, p, pass.sites).relu();
      }
      ends.push_back(x.h);
    }
    const at::Tensor all = at::cat(ends, /*dim=*/1);
    pass.embed(all);
    return output_->forward(pass.graph, {pass.features, all}, p, pass.sites);
  }

 private:
  using Branch = std::vector<std::shared_ptr<GraphConvolution>>;
  std::shared_ptr<GraphConvolution> input_;
  std::vector<Branch> branches_;
  std::shared_ptr<GraphConvolution> output_;
};

}  // namespace

const MakeModel kMakeIncepgcn = &make_baseline<IncepGcn>;

void check_incepgcn(const ModelOptions& options) {
  if (options.layers < 2 || options.layers > kMostBranchLayers) {
    throw UsageError(
        fmt::format("incepgcn has a first and a last layer and a branch per "
                    "depth between them; --layers must be 2 to {}, got {}",
                    kMostBranchLayers, options.layers));
  }
}

}  // namespace ordered_gnn::nn
