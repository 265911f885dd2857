#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// ACM-GCN of "Revisiting Heterophily For Graph Neural Networks" (2022). A
/// layer has three channels, what neighbours agree on, what a node differs in
/// from them and the node itself, and every node mixes them in its own way:
///
///   L = relu(Â x U),  H = relu((1 - Â) x V),  I = relu(x W)
///   s = sigmoid([<l, L> ; <h, H> ; <i, I>])     of every node
///   c = softmax(s M / 3)
///   y = 3 (c_1 L + c_2 H + c_3 I)
///
///   H_0 = X,  H_k = relu(layer_k(dropout(H_k-1))),  logits = y_K
///
/// Â is D^-1 A with --aggregator mean, as the authors' code has it, and
/// D^-1/2 A D^-1/2 with gcn; a node should be its own neighbour (--self-loops
/// add). Reads layers (K), hidden, aggregator and dropout-theta. Parameters are
/// `layers.I.weight` [3 out, in] (U, V, W one below the other), `.scores`
/// [3, out] (l, h, i) and `.mix` [3, 3] (M^T), all of xi: the paper has one L2.
/// They are drawn uniformly from +-1/sqrt(out), +-1 and +-1/sqrt(3).
///
/// Defaults are those of the authors' code: 2 layers, width 64, Adam at 0.05,
/// L2 0.001, early stopping after 200 epochs; dropout, 0 there, is 0.5 of its
/// grid.
class AcmGcn : public NodeModel {
 public:
  AcmGcn(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  static Json defaults();
  /// @throws UsageError for an aggregator that is no average of neighbours.
  static void check(const ModelOptions& options);

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t out,
          RandomStream& random);
    at::Tensor weight;
    at::Tensor scores;
    at::Tensor mix;
  };
  /// y of z = x [U ; V ; W].
  at::Tensor mixed(const Layer& layer, const Graph& graph,
                   const at::Tensor& z) const;

  ModelOptions options_;
  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace ordered_gnn::nn
