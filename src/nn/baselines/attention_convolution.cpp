#include "nn/baselines/attention_convolution.h"

#include <torch/types.h>

#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr double kAttentionSlope = 0.2;

// [H, d] as [H, H d] with row i in the columns of head i and zeros elsewhere:
// the scores of all heads become one product.
at::Tensor block_diagonal(const at::Tensor& rows) {
  const at::Tensor eye = at::eye(rows.size(0), rows.options());
  return (eye.unsqueeze(2) * rows.unsqueeze(0)).flatten(1);
}

}  // namespace

void check_heads(const ModelOptions& options) {
  if (options.hidden % options.heads == 0) return;
  throw UsageError(
      fmt::format("hidden {} is not divisible by heads {}: every attention "
                  "head must have the same width",
                  options.hidden, options.heads));
}

AttentionConvolution::AttentionConvolution(const ModelShape& shape, int64_t in,
                                           const AttentionSize& size,
                                           double dropout, RandomStream& random)
    : attention_dropout(dropout) {
  weight = register_parameter(
      "weight",
      glorot(empty_weight(shape, in, size.heads * size.head_width), random));
  source = register_parameter(
      "source", glorot(empty_parameter({size.heads, size.head_width}), random));
  target = register_parameter(
      "target", glorot(empty_parameter({size.heads, size.head_width}), random));
  bias = register_parameter("bias", constant_parameter({size.bias_width}, 0));
}

at::Tensor AttentionConvolution::attended(const Graph& graph,
                                          const LayerInput& x, double p,
                                          DropoutSites& sites) const {
  const at::Tensor z = dropped_linear(x, weight, {}, p, sites);
  const int64_t heads = source.size(0);
  const at::Tensor of_ends = dropped_linear(
      {x.features, z},
      at::cat({block_diagonal(source), block_diagonal(target)}), {}, 0, sites);
  const at::Tensor scores = edge_scores(graph, of_ends.narrow(1, 0, heads),
                                        of_ends.narrow(1, heads, heads));
  const at::Tensor attention =
      edge_softmax(graph, at::leaky_relu(scores, kAttentionSlope));
  return weighted_aggregate(graph, sites.drop(attention, attention_dropout), z);
}

at::Tensor AttentionConvolution::forward(const Graph& graph,
                                         const LayerInput& x, double p,
                                         DropoutSites& sites) const {
  return attended(graph, x, p, sites) + bias;
}

}  // namespace ordered_gnn::nn
