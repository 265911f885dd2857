#include "nn/baselines/mlp.h"

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

Mlp::Mlp(const ModelShape& shape, const OrderedGnnOptions& options,
         int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  input_ = std::make_unique<InputNetwork>(*this, shape, options, random);
  output_ = register_module(
      "output",
      std::make_shared<Affine>(options.hidden, shape.num_classes, random));
}

at::Tensor Mlp::forward(const Graph& /*graph*/, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  const double p = context.training ? options_.dropout_theta : 0.0;
  const at::Tensor z = input_->forward(features, context, p);
  if (trace != nullptr) trace->embeddings = z;
  trace_layer(trace, 0, z);
  const at::Tensor logits = classify(z);
  return context.stored_logits ? logits
                               : logits.to(output_->weight.scalar_type());
}

at::Tensor Mlp::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

}  // namespace ordered_gnn::nn
