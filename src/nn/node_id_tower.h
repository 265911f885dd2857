#pragma once
#include <memory>

#include "ordered_gnn/nn/layers.h"

namespace ordered_gnn::nn {

/// What is learned per node beside the features, as wide as the states:
///
///   id         t[v] = LayerNorm(relu(R[v] + b))
///   adjacency  t[v] = LayerNorm(relu(sum_{u in N(v)} w_uv R[u] + b))
///
/// with R [N, D] under dropout, N(v) the nodes whose messages v receives, and
/// w_uv = 1 for a graph without weights. The norm is that of f_theta, so that
/// neither tower drowns the other in their sum. Registers `node_ids.weight`,
/// `node_ids.bias` and `node_ids_norm` on its owner.
class NodeIdTower {
 public:
  /// Draws R and b uniformly from +-1/sqrt(N), as a map of one-hot ids would.
  NodeIdTower(torch::nn::Module& owner, const ModelShape& shape,
              const OrderedGnnOptions& options, RandomStream& random);

  /// @param site  of the dropout on R.
  /// @return [N, D].
  /// @throws c10::Error for a graph of another number of nodes.
  at::Tensor forward(const Graph& graph, const ForwardContext& context,
                     int64_t site) const;

 private:
  struct Rows : torch::nn::Module {
    at::Tensor weight;
    at::Tensor bias;
  };

  NodeIds kind_;
  double dropout_;
  std::shared_ptr<Rows> rows_;
  std::shared_ptr<Normalization> norm_;
};

}  // namespace ordered_gnn::nn
