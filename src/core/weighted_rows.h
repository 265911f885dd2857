#pragma once
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {

/// In-edges with their weights: row v lists the nodes that v receives from, in
/// rising order.
struct WeightedRows {
  std::vector<int64_t> rowptr;   ///< [N + 1]
  std::vector<int64_t> col;      ///< [E]
  std::vector<float> weight;     ///< [E]
  int64_t num_uneven_pairs = 0;  ///< Graph::num_uneven_pairs()
};

/// The rows that Graph::from_edges() makes of weighted edges.
/// @param edges  [2, E] int64, ends in [0, num_nodes).
/// @throws Error naming an edge whose weight is negative or not finite, or
///         whose repeats add up to more than a float holds.
WeightedRows weighted_rows(int64_t num_nodes, const at::Tensor& edges,
                           const GraphOptions& options);

/// Factors of lists on the CPU, `weight` in their order.
EdgeFactors edge_factors(const WeightedRows& rows);

/// d_v of EdgeFactors.
double weighted_degree(const float* weights, int64_t count);

/// A graph from the lists of its receivers alone, as Graph::from_rows() makes
/// it, with weights. num_self_loops() is not counted.
/// @param in       with columns of 32 bits, on the CPU.
/// @param weights  [E] float32 in their order.
/// @param degrees  weighted_degree() of every row, in the graph that the lists
///                 are a part of.
Graph weighted_graph(Adjacency in, const at::Tensor& weights,
                     const std::vector<double>& degrees);

}  // namespace ordered_gnn::core
