#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// "Graph Attention Networks" (2018). A layer with H heads of width d, for the
/// head i and an edge u -> v:
///
///   z = dropout_theta(h) W^T
///   a_i[u, v] = softmax_u(leaky_relu(<s_i, z_i[u]> + <t_i, z_i[v]>))
///   y_i[v] = sum_u dropout_xi(a_i[u, v]) z_i[u]
///
/// where leaky_relu has slope 0.2 and the softmax runs over the in-neighbours,
/// the node itself among them when loops were added. All layers but the last
/// give elu([y_1 ; ... ; y_H] + b); the last, with output-heads of the width of
/// the classes, gives the mean of its heads + b. All heads are computed in one
/// pass; no edge-by-width buffer is built.
///
/// Reads layers, hidden (H d, so heads must divide it), heads, output-heads,
/// dropout-theta and dropout-xi. Parameters are `layers.I.weight` [H d, in],
/// `.source` and `.target` [H, d] and `.bias` (xi).
///
/// Defaults are those of the paper: 2 layers, 8 heads of 8, one output head,
/// dropout 0.6 of inputs and attention, L2 5e-4, Adam at 0.005, patience 100.
class Gat : public NodeModel {
 public:
  Gat(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  static Json defaults();
  /// @throws UsageError unless heads divide the width.
  static void check(const ModelOptions& options);

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t num_heads,
          int64_t head_width, int64_t bias_width, RandomStream& random);
    at::Tensor weight;
    at::Tensor source;
    at::Tensor target;
    at::Tensor bias;
  };
  /// [y_1 ; ... ; y_H] of a layer.
  at::Tensor attended(const Layer& layer, const Graph& graph,
                      const LayerInput& x, DropoutSites& sites) const;

  ModelOptions options_;
  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace ordered_gnn::nn
