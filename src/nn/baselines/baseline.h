#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::nn {

/// What a model is made from.
struct ModelPlan {
  const ModelShape& shape;
  const ModelOptions& options;
  RandomStream& random;  ///< its initial parameters, in order
};

/// One forward pass: what it reads, its dropout and what it shows of itself.
struct Pass {
  const Graph& graph;
  const NodeFeatures& features;
  const ForwardContext& context;
  ForwardTrace* trace;  ///< may be null
  DropoutSites sites;

  /// The input of a first layer.
  LayerInput first() const { return {features, {}}; }
  /// Hands over the state after a round of messages, see ForwardTrace.
  void show(int64_t round, const at::Tensor& state) const {
    trace_layer(trace, round, state);
  }
  void embed(const at::Tensor& state) const {
    if (trace != nullptr) trace->embeddings = state;
  }
  /// What the last layer reads; where that is the features, its logits instead.
  void embed(const LayerInput& last, const at::Tensor& logits) const {
    embed(last.h.defined() ? last.h : logits);
  }
};

/// A model of this folder: it has its options and runs passes.
class Baseline : public NodeModel {
 public:
  explicit Baseline(const ModelPlan& plan) : options_(plan.options) {}
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) final;

 protected:
  /// The logits.
  virtual at::Tensor run(Pass& pass) = 0;

  /// Registers the part as `input.0`.
  template <typename Part>
  std::shared_ptr<Part> register_input(std::shared_ptr<Part> part) {
    register_parts(*this, "input", std::vector<std::shared_ptr<Part>>{part});
    return part;
  }
  /// Registers the layers as `layers.I`.
  template <typename Layer>
  std::vector<std::shared_ptr<Layer>> register_layers(
      std::vector<std::shared_ptr<Layer>> layers) {
    register_parts(*this, "layers", layers);
    return layers;
  }
  /// Registers the first layer as `input.0`, the others as `layers.I`.
  template <typename Layer>
  void register_first_apart(const std::vector<std::shared_ptr<Layer>>& layers) {
    register_input(layers.front());
    register_parts(
        *this, "layers",
        std::vector<std::shared_ptr<Layer>>(layers.begin() + 1, layers.end()));
  }

  const ModelOptions options_;
};

/// A model whose `output` is a Linear of the last state.
class LinearOutput : public Baseline {
 public:
  using Baseline::Baseline;
  at::Tensor classify(const at::Tensor& state) const override;

 protected:
  std::shared_ptr<Affine> output_;
};

/// A map of the features to `out` numbers.
std::shared_ptr<Affine> first_affine(const ModelPlan& plan, int64_t out);
/// A map of `width` numbers to the classes.
std::shared_ptr<Affine> class_affine(const ModelPlan& plan, int64_t width);

/// @throws UsageError unless there are a first and a last layer.
void require_two_layers(const char* model, const ModelOptions& options);

/// ModelEntry::make, one for each class.
using MakeModel = decltype(ModelEntry::make);
template <typename Model>
std::shared_ptr<NodeModel> make_baseline(const ModelShape& shape,
                                         const ModelOptions& options,
                                         int64_t seed) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  return std::make_shared<Model>(ModelPlan{shape, options, random});
}

/// As many layers as the options say, made of shape, widths and numbers: from
/// the features (0) over the hidden width to the classes.
template <typename Layer>
std::vector<std::shared_ptr<Layer>> layers_to_classes(const ModelPlan& plan) {
  const auto& [shape, options, random] = plan;
  std::vector<std::shared_ptr<Layer>> layers;
  for (int64_t k = 0; k < options.layers; ++k) {
    layers.push_back(std::make_shared<Layer>(
        shape, k == 0 ? 0 : options.hidden,
        k + 1 == options.layers ? shape.num_classes : options.hidden, random));
  }
  return layers;
}

}  // namespace ordered_gnn::nn
