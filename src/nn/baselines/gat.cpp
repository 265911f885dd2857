#include "nn/baselines/gat.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/graph_layers.h"

namespace ordered_gnn::nn {
namespace {

class Gat : public Baseline {
 public:
  explicit Gat(const ModelPlan& plan) : Baseline(plan) {
    for (int64_t k = 0; k < options_.layers; ++k) {
      const int64_t in = k == 0 ? 0 : options_.hidden;
      const AttentionSize size =
          k + 1 == options_.layers
              ? AttentionSize{options_.output_heads, plan.shape.num_classes,
                              plan.shape.num_classes}
              : AttentionSize{options_.heads, options_.hidden / options_.heads,
                              options_.hidden};
      layers_.push_back(std::make_shared<AttentionConvolution>(
          plan.shape, in, size, options_.dropout_xi, plan.random));
    }
    register_parts(*this, "layers", layers_);
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    LayerInput x = pass.first();
    for (size_t k = 0; k + 1 < layers_.size(); ++k) {
      x.h = at::elu(layers_[k]->forward(pass.graph, x, p, pass.sites));
      pass.show(static_cast<int64_t>(k) + 1, x.h);
    }
    const AttentionConvolution& last = *layers_.back();
    const at::Tensor heads = last.attended(pass.graph, x, p, pass.sites);
    const at::Tensor logits =
        heads.view({heads.size(0), last.source.size(0), last.source.size(1)})
            .mean(1) +
        last.bias;
    pass.show(static_cast<int64_t>(layers_.size()), logits);
    pass.embed(x, logits);
    return logits;
  }

 private:
  std::vector<std::shared_ptr<AttentionConvolution>> layers_;
};

}  // namespace

const MakeModel kMakeGat = &make_baseline<Gat>;

}  // namespace ordered_gnn::nn
