// What the layers of an Ordered GNN learn, and what each of them is given.
#include <torch/nn/modules/container/modulelist.h>

#include "nn/node_id_tower.h"
#include "nn/ordered_gnn_pass.h"

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
    if (options.transform == Transform::linear) {
      layer->candidate = layer->register_module(
          "candidate", std::make_shared<Affine>(2 * width, width, random));
      layer->candidate_norm = layer->register_module(
          "candidate_norm",
          std::make_shared<Normalization>(options.candidate_norm, width));
    }
    layer->norm = layer->register_module(
        "norm", std::make_shared<Normalization>(options.norm, width));
    list->push_back(layer);
    layers_.push_back(layer);
  }
  register_module("layers", list);
  output_ = register_module(
      "output", std::make_shared<Affine>(width, shape.num_classes, random));
  // Drawn last: all else is as without.
  if (options.node_ids != NodeIds::none) {
    node_ids_ =
        std::make_shared<nn::NodeIdTower>(*this, shape, options, random);
  }
}

const Affine& OrderedGnn::gate_of(size_t index) const {
  return options_.tied_gates ? *tied_gate_ : *layers_[index]->gate;
}

OrderedLayerParameters OrderedGnn::parameters_of(size_t index) const {
  const Affine& affine = gate_of(index);
  const Normalization& norm = *layers_[index]->norm;
  return {affine.weight, affine.bias, norm.weight, norm.bias};
}

CandidateLayerParameters OrderedGnn::candidate_parameters_of(
    const Pass& pass, size_t index, const at::Tensor& h) const {
  const Layer& layer = *layers_[index];
  const Affine& gate = gate_of(index);
  const bool training = pass.context.training;
  return {gate.weight,
          gate.bias,
          layer.candidate->weight,
          layer.candidate->bias,
          layer.candidate_norm->of_rows(h.size(0), training),
          layer.norm->of_rows(h.size(0), training)};
}

OrderedLayerSettings OrderedGnn::settings_of(const Pass& pass,
                                             size_t index) const {
  OrderedLayerSettings settings;
  settings.gating = options_.gating;
  settings.norm_eps = kNormEps;
  settings.dropout = dropout_after(pass, index);
  settings.dropout_key = key_after(pass, index);
  // Whoever traces the states may ask for their gradients.
  settings.reuse_memory = pass.trace == nullptr;
  return settings;
}

double OrderedGnn::dropout_after(const Pass& pass, size_t index) const {
  if (!pass.context.training) return 0;
  return index + 1 < layers_.size() ? options_.dropout_xi
                                    : options_.dropout_theta;
}

DropoutKey OrderedGnn::key_after(const Pass& pass, size_t index) const {
  return {pass.context.seed, pass.context.step,
          input_->sites() + static_cast<int64_t>(index) + 1};
}

}  // namespace ordered_gnn
