#include "nn/baselines/jknet.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/baselines/jumping.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

std::shared_ptr<Convolution> make_layer(const ModelShape& shape,
                                        const ModelOptions& options, int64_t in,
                                        RandomStream& random) {
  if (options.convolution == ConvolutionKind::gcn) {
    return std::make_shared<GraphConvolution>(shape, in, options.hidden,
                                              random);
  }
  return std::make_shared<SageConvolution>(shape, options.aggregator, in,
                                           options.hidden, random);
}

class JkNet : public Baseline {
 public:
  explicit JkNet(const ModelPlan& plan) : Baseline(plan) {
    const int64_t width = options_.hidden;
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(
          make_layer(plan.shape, options_, k == 0 ? 0 : width, plan.random));
    }
    register_first_apart(layers_);
    jumping_ = std::make_unique<JumpingStates>(*this, options_, plan.random);
    output_ = register_module("output", class_affine(plan, jumping_->width()));
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    std::vector<at::Tensor> states;
    for (const auto& layer : layers_) {
      x.h = layer->forward(pass.graph, x, options_.dropout_theta, pass.sites)
                .relu();
      states.push_back(x.h);
      pass.show(static_cast<int64_t>(states.size()), x.h);
    }
    const at::Tensor all =
        pass.sites.drop(jumping_->forward(states), options_.dropout_theta);
    pass.embed(all);
    return linear(all, output_->weight, output_->bias);
  }

 private:
  std::vector<std::shared_ptr<Convolution>> layers_;
  std::unique_ptr<JumpingStates> jumping_;
  std::shared_ptr<Affine> output_;
};

}  // namespace

const MakeModel kMakeJknet = &make_baseline<JkNet>;

void check_jknet(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) {
    throw UsageError("jknet takes --convolution gcn or sage, not gat");
  }
  if (options.jumping == Jumping::none) {
    throw UsageError(
        "jknet takes --jumping concat, max or lstm; none is --model gcn or "
        "graphsage");
  }
}

}  // namespace ordered_gnn::nn
