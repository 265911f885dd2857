#include "nn/baselines/graphsage.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"

namespace ordered_gnn::nn {
namespace {

class GraphSage : public LinearOutput {
 public:
  explicit GraphSage(const ModelPlan& plan) : LinearOutput(plan) {
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(std::make_shared<SageConvolution>(
          plan.shape, options_.aggregator, k == 0 ? 0 : options_.hidden,
          options_.hidden, plan.random));
    }
    register_parts(*this, "layers", layers_);
    output_ = register_module("output", class_affine(plan, options_.hidden));
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    int64_t rounds = 0;
    for (const auto& layer : layers_) {
      x.h = unit_rows(
          layer->forward(pass.graph, x, options_.dropout_theta, pass.sites)
              .relu());
      pass.show(++rounds, x.h);
    }
    x.h = pass.sites.drop(x.h, options_.dropout_theta);
    pass.embed(x.h);
    return classify(x.h);
  }

 private:
  std::vector<std::shared_ptr<SageConvolution>> layers_;
};

}  // namespace

const MakeModel kMakeGraphsage = &make_baseline<GraphSage>;

}  // namespace ordered_gnn::nn
