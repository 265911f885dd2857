#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/ops/ordered_gate.h"

/// The ops of the library as plain, unfused compositions of LibTorch's own.
/// They take any floating type, are differentiable by autograd, share no code
/// with the library's kernels, and follow the contracts in ordered_gnn/ops/.
namespace ordered_gnn::reference {

/// Ends of every edge in the order of graph.in(), [E] int64 each.
at::Tensor senders(const Graph& graph);
at::Tensor receivers(const Graph& graph);

at::Tensor sum_aggregate(const Graph& graph, const at::Tensor& h);
at::Tensor mean_aggregate(const Graph& graph, const at::Tensor& h);
at::Tensor gcn_aggregate(const Graph& graph, const at::Tensor& h);
at::Tensor scaled_aggregate(const Graph& graph, const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h);
at::Tensor max_aggregate(const Graph& graph, const at::Tensor& h);
at::Tensor weighted_aggregate(const Graph& graph, const at::Tensor& weight,
                              const at::Tensor& h);

at::Tensor edge_scores(const Graph& graph, const at::Tensor& source,
                       const at::Tensor& target);
at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b);
at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads);
at::Tensor edge_softmax(const Graph& graph, const at::Tensor& score);

/// Reverse cumulative sum of the softmax, along the last dimension.
at::Tensor cumax(const at::Tensor& logits);
OrderedGateResult ordered_gate(Gating gating, const at::Tensor& logits,
                               const at::Tensor& prev_gate, const at::Tensor& h,
                               const at::Tensor& m);

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);
at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double eps = 1e-5);

/// True where dropout keeps the element: bool of the given shape, element by
/// element in row-major order.
at::Tensor dropout_mask(at::IntArrayRef sizes, double p, const DropoutKey& key);
at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key);

/// Through a dense copy of the features, whatever their kind.
at::Tensor feature_linear(const NodeFeatures& features,
                          const at::Tensor& weight, const at::Tensor& bias,
                          double dropout, const DropoutKey& key);

}  // namespace ordered_gnn::reference
