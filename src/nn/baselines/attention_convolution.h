#pragma once
#include <cstdint>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// @throws UsageError unless heads divide the width.
void check_heads(const ModelOptions& options);

struct AttentionSize {
  int64_t heads = 1;       ///< H
  int64_t head_width = 1;  ///< d
  int64_t bias_width = 1;
};

/// Layer of attention with H heads of width d, for the head i and an edge
/// u -> v:
///
///   z = dropout(x) W^T
///   a_i[u, v] = softmax_u(leaky_relu(<s_i, z_i[u]> + <t_i, z_i[v]>))
///   y_i[v] = sum_u dropout(a_i[u, v]) z_i[u]
///
/// where leaky_relu has slope 0.2 and the softmax runs over the in-neighbours,
/// the node itself among them when loops were added. All heads are computed in
/// one pass; no edge-by-width buffer is built. `weight` [H d, in], `source` and
/// `target` [H, d] start as glorot(), `bias` at 0.
struct AttentionConvolution : Convolution {
  /// @param in       0 for a layer that reads the features.
  /// @param dropout  of the attention while training.
  AttentionConvolution(const ModelShape& shape, int64_t in,
                       const AttentionSize& size, double dropout,
                       RandomStream& random);
  /// [y_1 ; ... ; y_H] + bias, whose width must be H d.
  at::Tensor forward(const Graph& graph, const LayerInput& x, double p,
                     DropoutSites& sites) const override;
  /// The same without the bias.
  at::Tensor attended(const Graph& graph, const LayerInput& x, double p,
                      DropoutSites& sites) const;
  double attention_dropout;
  at::Tensor weight;
  at::Tensor source;
  at::Tensor target;
  at::Tensor bias;
};

}  // namespace ordered_gnn::nn
