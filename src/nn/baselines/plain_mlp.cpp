#include "nn/baselines/plain_mlp.h"

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

PlainMlp::PlainMlp(torch::nn::Module& owner, const std::string& last,
                   const ModelPlan& plan)
    : dropout_(plan.options.dropout_theta) {
  const int64_t width = plan.options.hidden;
  for (int64_t i = 0; i < plan.options.mlp_layers; ++i) {
    hidden_.push_back(std::make_shared<Affine>(
        empty_weight(plan.shape, i == 0 ? 0 : width, width), plan.random));
  }
  register_parts(owner, "input", hidden_);
  last_ = owner.register_module(last, class_affine(plan, width));
}

at::Tensor PlainMlp::forward(Pass& pass) const {
  LayerInput x = pass.first();
  for (const auto& layer : hidden_) {
    x.h = dropped_linear(x, layer->weight, layer->bias, dropout_, pass.sites)
              .relu();
  }
  x.h = pass.sites.drop(x.h, dropout_);
  pass.embed(x.h);
  return linear(x.h, last_->weight, last_->bias);
}

}  // namespace ordered_gnn::nn
