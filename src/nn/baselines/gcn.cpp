#include "nn/baselines/gcn.h"

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"

namespace ordered_gnn::nn {
namespace {

class Gcn : public Baseline {
 public:
  explicit Gcn(const ModelPlan& plan) : Baseline(plan) {
    layers_ = layers_to_classes<GraphConvolution>(plan);
    register_first_apart(layers_);
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    LayerInput x = pass.first();
    for (size_t k = 0; k + 1 < layers_.size(); ++k) {
      x.h = layers_[k]->forward(pass.graph, x, p, pass.sites).relu();
      pass.show(static_cast<int64_t>(k) + 1, x.h);
    }
    const at::Tensor logits =
        layers_.back()->forward(pass.graph, x, p, pass.sites);
    pass.show(static_cast<int64_t>(layers_.size()), logits);
    pass.embed(x, logits);
    return logits;
  }

 private:
  std::vector<std::shared_ptr<GraphConvolution>> layers_;
};

}  // namespace

const MakeModel kMakeGcn = &make_baseline<Gcn>;

}  // namespace ordered_gnn::nn
