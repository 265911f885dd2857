#include "nn/baselines/sgc.h"

#include <torch/types.h>

#include <memory>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

class Sgc : public Baseline {
 public:
  explicit Sgc(const ModelPlan& plan) : Baseline(plan) {
    output_ =
        register_module("output", first_affine(plan, plan.shape.num_classes));
  }

  at::Tensor run(Pass& pass) override {
    at::Tensor z = dropped_linear(pass.first(), output_->weight, {},
                                  options_.dropout_theta, pass.sites);
    pass.show(0, z);
    for (int64_t k = 0; k < options_.hops; ++k) {
      z = gcn_aggregate(pass.graph, z);
      pass.show(k + 1, z);
    }
    const at::Tensor logits = classify(z);
    pass.embed(logits);
    return logits;
  }

  at::Tensor classify(const at::Tensor& state) const override {
    return state + output_->bias;
  }

 private:
  std::shared_ptr<Affine> output_;
};

}  // namespace

const MakeModel kMakeSgc = &make_baseline<Sgc>;

}  // namespace ordered_gnn::nn
