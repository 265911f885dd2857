#include "micro/pubmed_shape.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <tuple>

namespace ordered_gnn::bench {
namespace {

Graph make_graph() {
  at::manual_seed(1);
  // Half of the pairs, turned both ways.
  const at::Tensor edges = at::randint(kNodes, {2, kEdges / 2}, at::kLong);
  return Graph::from_edges(kNodes, edges,
                           {Direction::undirected, SelfLoops::keep});
}

NodeFeatures make_features() {
  at::manual_seed(2);
  const at::Tensor scores = at::rand({kNodes, kFeatures});
  const at::Tensor chosen = std::get<1>(scores.topk(kFeaturesPerNode, 1));
  const at::Tensor col = std::get<0>(chosen.sort(1)).reshape(-1);
  return NodeFeatures::sparse(
      {at::arange(kNodes + 1, at::kLong) * kFeaturesPerNode, col.to(at::kInt),
       at::rand({kNodes * kFeaturesPerNode})},
      kFeatures);
}

}  // namespace

const Graph& pubmed_graph() {
  static const Graph graph = make_graph();
  return graph;
}

const NodeFeatures& pubmed_features() {
  static const NodeFeatures features = make_features();
  return features;
}

at::Tensor noise(at::IntArrayRef sizes) { return at::randn(sizes, at::kFloat); }

}  // namespace ordered_gnn::bench
