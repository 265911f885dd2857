#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/explain/over_smoothing.h"

namespace ordered_gnn::explain {

/// What a LayerSpread is made of: numbers of every node, which can be had part
/// by part of a graph, and sums over all nodes. In the order of the nodes the
/// same terms give the same bits.
struct SpreadTerms {
  std::vector<double> norm;      ///< N: |h_v|
  std::vector<double> square;    ///< N: |h_v - mean of all|^2
  std::vector<double> edge_sum;  ///< N: see edge_sums()
  std::vector<double> unit_sum;  ///< D: sum of h_v / |h_v|, zeros left out
  double mean_distance = 0;      ///< see mean_pair_distance()
  int64_t edges = 0;             ///< loops left out
};

/// Nothing but the norms is read of a graph of one node or none.
LayerSpread spread_of(const SpreadTerms& terms);

/// @param rows  [n, D] float32, contiguous, on the CPU; also below.
std::vector<double> row_norms(const at::Tensor& rows);
/// @throws Error naming the first node whose state is not finite.
void require_finite(const std::vector<double>& norms);

/// Of every node v of the graph, or of a part of one, the sum over its
/// in-neighbours u, itself left out, of |h_u - h_v|^2.
/// @param rows  of the nodes and the halo.
std::vector<double> edge_sums(const Graph& graph, const at::Tensor& rows);

/// |h_v - mean|^2 of every node.
/// @param mean  D values.
std::vector<double> square_gaps(const at::Tensor& rows,
                                const std::vector<double>& mean);

/// The sum of weight times value over all nodes, added as column_sums() does.
double column_sum(const std::vector<float>& column,
                  const std::function<double(int64_t node)>& weight);
/// The same of all D columns.
std::vector<double> column_sums(
    const at::Tensor& rows, const std::function<double(int64_t node)>& weight);
/// The weight that makes a row of this norm one of length 1; 0 for none.
inline double unit_weight(double norm) { return norm > 0 ? 1 / norm : 0.0; }

/// The nodes that mean_pair_distance() asks for, of `nodes` in all.
std::vector<bool> paired_nodes(int64_t nodes);
/// See LayerSpread::mean_distance.
/// @param row  of a node, D values.
double mean_pair_distance(int64_t nodes, int64_t width,
                          const std::function<const float*(int64_t node)>& row);

}  // namespace ordered_gnn::explain
