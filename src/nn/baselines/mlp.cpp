#include "nn/baselines/mlp.h"

#include <memory>

namespace ordered_gnn::nn {
namespace {

class Mlp : public LinearOutput {
 public:
  explicit Mlp(const ModelPlan& plan) : LinearOutput(plan) {
    input_ = std::make_unique<InputNetwork>(*this, plan.shape, options_,
                                            plan.random);
    output_ = register_module("output", class_affine(plan, options_.hidden));
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor z = input_->forward(
        pass.features, pass.context, pass.sites.rate(options_.dropout_theta));
    pass.embed(z);
    pass.show(0, z);
    const at::Tensor logits = classify(z);
    return pass.context.stored_logits
               ? logits
               : logits.to(output_->weight.scalar_type());
  }

 private:
  std::unique_ptr<InputNetwork> input_;
};

}  // namespace

const MakeModel kMakeMlp = &make_baseline<Mlp>;

}  // namespace ordered_gnn::nn
