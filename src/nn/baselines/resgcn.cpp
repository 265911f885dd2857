#include "nn/baselines/resgcn.h"

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"

namespace ordered_gnn::nn {
namespace {

class ResGcn : public Baseline {
 public:
  explicit ResGcn(const ModelPlan& plan) : Baseline(plan) {
    const auto layer = [&](int64_t in, int64_t out) {
      return std::make_shared<GraphConvolution>(plan.shape, in, out,
                                                plan.random);
    };
    const int64_t width = options_.hidden;
    input_ = register_input(layer(0, width));
    for (int64_t k = 2; k < options_.layers; ++k) {
      layers_.push_back(layer(width, width));
    }
    register_layers(layers_);
    output_ = register_module("output", layer(width, plan.shape.num_classes));
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    LayerInput x = pass.first();
    x.h = input_->forward(pass.graph, x, p, pass.sites).relu();
    int64_t rounds = 1;
    pass.show(rounds, x.h);
    for (const auto& layer : layers_) {
      x.h = layer->forward(pass.graph, x, p, pass.sites).relu() + x.h;
      pass.show(++rounds, x.h);
    }
    pass.embed(x.h);
    const at::Tensor logits = output_->forward(pass.graph, x, p, pass.sites);
    pass.show(++rounds, logits);
    return logits;
  }

 private:
  std::shared_ptr<GraphConvolution> input_;
  std::vector<std::shared_ptr<GraphConvolution>> layers_;
  std::shared_ptr<GraphConvolution> output_;
};

}  // namespace

const MakeModel kMakeResgcn = &make_baseline<ResGcn>;

void check_resgcn(const ModelOptions& options) {
  require_two_layers("resgcn", options);
}

}  // namespace ordered_gnn::nn
