#include "ordered_gnn/nn/ordered_gnn.h"

#include <torch/nn/modules/container/modulelist.h>
#include <torch/types.h>

#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {

OrderedGnn::OrderedGnn(const ModelShape& shape,
                       const OrderedGnnOptions& options, int64_t seed)
    : options_(options) {
  validate(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  const int64_t gates = width / options.chunk;
  const bool gated = options.gating != Gating::none;
  input_ = std::make_unique<InputNetwork>(*this, shape, options, random);
  if (gated && options.tied_gates) {
    tied_gate_ = register_module(
        "gate", std::make_shared<Affine>(2 * width, gates, random));
  }
  torch::nn::ModuleList list;
  for (int64_t k = 0; k < options.layers; ++k) {
    auto layer = std::make_shared<Layer>();
    layer->aggregate = layer->register_module(
        "attention",
        std::make_shared<AggregateStage>(options.aggregator, width, random));
    if (gated && !options.tied_gates) {
      layer->gate = layer->register_module(
          "gate", std::make_shared<Affine>(2 * width, gates, random));
    }
    layer->norm = layer->register_module(
        "norm", std::make_shared<Normalization>(options.norm, width));
    list->push_back(layer);
    layers_.push_back(layer);
  }
  register_module("layers", list);
  output_ = register_module(
      "output", std::make_shared<Affine>(width, shape.num_classes, random));
}

at::Tensor OrderedGnn::run_layer(size_t index, const Graph& graph,
                                 const at::Tensor& h, at::Tensor& gate,
                                 bool training) const {
  const Layer& layer = *layers_[index];
  const at::Tensor m = layer.aggregate->forward(graph, h);
  at::Tensor combined = m;
  if (options_.gating != Gating::none) {
    const Affine& affine = options_.tied_gates ? *tied_gate_ : *layer.gate;
    const at::Tensor logits = pair_linear(h, m, affine.weight, affine.bias);
    OrderedGateResult result =
        ordered_gate(options_.gating, logits, gate, h, m);
    combined = std::move(result.h);
    gate = std::move(result.gate);
  }
  const at::Tensor out = layer.norm->forward(combined, training);
  return options_.residual ? out + h : out;
}

at::Tensor OrderedGnn::forward(const Graph& graph, const NodeFeatures& features,
                               const ForwardContext& context,
                               ForwardTrace* trace) {
  const double p_theta = context.training ? options_.dropout_theta : 0.0;
  const double p_xi = context.training ? options_.dropout_xi : 0.0;
  DropoutKey key{context.seed, context.step, input_->sites()};
  at::Tensor h = input_->forward(features, context);
  at::Tensor gate =
      at::zeros({h.size(0), options_.hidden / options_.chunk}, h.options());
  for (size_t k = 0; k < layers_.size(); ++k, ++key.site) {
    h = run_layer(k, graph, dropout(h, p_xi, key), gate, context.training);
    if (trace != nullptr && options_.gating != Gating::none) {
      trace->gates.push_back(gate);
    }
  }
  if (trace != nullptr) trace->embeddings = h;
  return linear(dropout(h, p_theta, key), output_->weight, output_->bias);
}

}  // namespace ordered_gnn
