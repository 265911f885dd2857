#include "nn/baselines/tuned_gnn.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/layers.h"

namespace ordered_gnn::nn {
namespace {

std::shared_ptr<Convolution> make_convolution(const ModelShape& shape,
                                              const ModelOptions& options,
                                              int64_t in,
                                              RandomStream& random) {
  const int64_t width = options.hidden;
  switch (options.convolution) {
    case ConvolutionKind::gcn:
      return std::make_shared<GraphConvolution>(shape, in, width, random);
    case ConvolutionKind::sage:
      return std::make_shared<SageConvolution>(shape, options.aggregator, in,
                                               width, random);
    case ConvolutionKind::gat:
      break;
  }
  const AttentionSize size{options.heads, width / options.heads, width};
  return std::make_shared<AttentionConvolution>(shape, in, size,
                                                options.dropout_xi, random);
}

class TunedGnn : public LinearOutput {
 public:
  explicit TunedGnn(const ModelPlan& plan) : LinearOutput(plan) {
    for (int64_t k = 0; k < options_.layers; ++k) {
      layers_.push_back(std::make_shared<Layer>(
          plan.shape, options_, k == 0 ? 0 : options_.hidden, plan.random));
    }
    register_parts(*this, "layers", layers_);
    output_ = register_module("output", class_affine(plan, options_.hidden));
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    for (size_t k = 0; k < layers_.size(); ++k) {
      const Layer& layer = *layers_[k];
      at::Tensor y = layer.convolution->forward(pass.graph, x, 0, pass.sites);
      if (layer.residual) {
        y = y + dropped_linear(x, layer.residual->weight, layer.residual->bias,
                               0, pass.sites);
      }
      y = layer.norm->forward(y, pass.context.training).relu();
      pass.show(static_cast<int64_t>(k) + 1, y);
      x.h = pass.sites.drop(y, options_.dropout_theta);
    }
    pass.embed(x.h);
    return classify(x.h);
  }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, const ModelOptions& options, int64_t in,
          RandomStream& random) {
      const int64_t width = options.hidden;
      convolution = register_module(
          "convolution", make_convolution(shape, options, in, random));
      if (options.residual) {
        residual = register_module(
            "residual",
            std::make_shared<Affine>(empty_weight(shape, in, width), random));
      }
      norm = register_module(
          "norm", std::make_shared<Normalization>(options.norm, width));
    }

    std::shared_ptr<Convolution> convolution;
    std::shared_ptr<Affine> residual;  ///< null without one
    std::shared_ptr<Normalization> norm;
  };

  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeTunedGnn = &make_baseline<TunedGnn>;

void check_tuned_gnn(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) check_heads(options);
}

std::string unread_by_tuned_gnn(const ModelOptions& options,
                                const std::string& option) {
  const bool is_of_attention = option == "heads" || option == "dropout-xi";
  if (is_of_attention && options.convolution != ConvolutionKind::gat) {
    return "tuned_gnn reads {} with --convolution gat only";
  }
  if (option == "aggregator" && options.convolution != ConvolutionKind::sage) {
    return "tuned_gnn reads {} with --convolution sage only";
  }
  return "";
}

}  // namespace ordered_gnn::nn
