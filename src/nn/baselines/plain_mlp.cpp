#include "nn/baselines/plain_mlp.h"

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

PlainMlp::PlainMlp(torch::nn::Module& owner, const std::string& last,
                   const ModelShape& shape, const ModelOptions& options,
                   RandomStream& random)
    : dropout_(options.dropout_theta) {
  for (int64_t i = 0; i < options.mlp_layers; ++i) {
    hidden_.push_back(std::make_shared<Affine>(
        empty_weight(shape, i == 0 ? 0 : options.hidden, options.hidden),
        random));
  }
  register_parts(owner, "input", hidden_);
  last_ = owner.register_module(
      last,
      std::make_shared<Affine>(options.hidden, shape.num_classes, random));
}

at::Tensor PlainMlp::forward(const NodeFeatures& features, DropoutSites& sites,
                             ForwardTrace* trace) const {
  LayerInput x{features, {}};
  for (const auto& layer : hidden_) {
    x.h = dropped_linear(x, layer->weight, layer->bias, dropout_, sites).relu();
  }
  x.h = sites.drop(x.h, dropout_);
  if (trace != nullptr) trace->embeddings = x.h;
  return linear(x.h, last_->weight, last_->bias);
}

}  // namespace ordered_gnn::nn
