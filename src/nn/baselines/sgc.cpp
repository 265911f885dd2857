#include "nn/baselines/sgc.h"

#include <torch/types.h>

#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {

Sgc::Sgc(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  output_ = register_module(
      "output", std::make_shared<Affine>(
                    empty_first_weight(shape, shape.num_classes), random));
}

at::Tensor Sgc::forward(const Graph& graph, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  at::Tensor z = dropped_linear({features, {}}, output_->weight, {},
                                options_.dropout_theta, sites);
  trace_layer(trace, 0, z);
  for (int64_t k = 0; k < options_.hops; ++k) {
    z = gcn_aggregate(graph, z);
    trace_layer(trace, k + 1, z);
  }
  const at::Tensor logits = classify(z);
  if (trace != nullptr) trace->embeddings = logits;
  return logits;
}

at::Tensor Sgc::classify(const at::Tensor& state) const {
  return state + output_->bias;
}

Json Sgc::defaults() {
  return {{"self-loops", "add"}, {"hops", 2},        {"dropout-theta", 0.0},
          {"lr", 0.2},           {"l2-theta", 5e-6}, {"l2-xi", 5e-6},
          {"epochs", 100},       {"patience", 100}};
}

}  // namespace ordered_gnn::nn
