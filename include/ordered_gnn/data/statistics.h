#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// Spread of a node count, loops left out. Quantiles are values that occur:
/// the smallest with at least that share of the nodes at or below it.
struct DegreeSummary {
  int64_t min = 0;
  int64_t quartile1 = 0;
  int64_t median = 0;
  int64_t quartile3 = 0;
  int64_t max = 0;
  double mean = 0;
};

/// Weights of the stored edges.
struct WeightSummary {
  double min = 0;
  double max = 0;
  double mean = 0;
};

/// Nodes per class in each part of one split; unlabelled nodes not counted.
struct SplitClassSizes {
  std::vector<int64_t> train;
  std::vector<int64_t> val;
  std::vector<int64_t> test;
};

/// What a dataset looks like before self-loop handling. Homophilies without
/// anything to average (no edges, no labels) are NaN.
struct DatasetStatistics {
  std::string name;
  int64_t num_nodes = 0;
  int64_t num_edges = 0;  ///< distinct ordered pairs without loops
  int64_t num_self_loops = 0;
  int64_t num_duplicates = 0;    ///< stored entries that repeat an ordered pair
  int64_t num_stored_edges = 0;  ///< entries of the files, loops included
  /// Distinct unordered pairs without loops; papers often add the loops.
  int64_t num_undirected_edges = 0;
  /// No value: edges have no weights, or there is no edge. No other number here
  /// depends on weights.
  std::optional<WeightSummary> edge_weights;
  /// Share of num_edges whose reverse is there, too; NaN without edges.
  double reciprocal_share = 0;
  int64_t num_features = 0;
  double feature_density = 0;  ///< share of stored non-zero features
  int64_t num_classes = 0;
  int64_t num_labelled = 0;
  int64_t num_splits = 0;
  /// Share of the distinct unordered pairs, loops included, with both ends
  /// labelled whose labels agree: the value that papers publish.
  double edge_homophily = 0;
  /// Mean over labelled nodes of the share of their labelled neighbours, either
  /// direction, that have the node's label.
  double node_homophily = 0;
  /// (h - e) / (1 - e): the share h of the num_edges pairs with equal labels
  /// against its value e expected from the classes of edge ends alone,
  /// e = sum_k out_k in_k / E^2.
  double adjusted_homophily = 0;
  int64_t isolated_nodes = 0;  ///< no neighbour but itself, either direction
  int64_t num_components = 0;  ///< weakly connected, isolated nodes included
  int64_t largest_component = 0;
  DegreeSummary in_degree;
  DegreeSummary out_degree;
  std::vector<int64_t> class_sizes;  ///< [C]
  std::vector<SplitClassSizes> split_class_sizes;
};

/// Below this share of edges with a reverse a list looks as if each undirected
/// edge had been stored once.
inline constexpr double kFewReverses = 0.05;

/// Share of the graph's edges, loops left out, whose reverse is an edge, too: 1
/// when every edge goes both ways, near 0 when edges have a direction or each
/// undirected one was stored once. NaN without such edges.
double reciprocal_share(const Graph& graph);

/// @param direction  as_stored counts pairs as the file gives them; a file with
///                   each undirected edge once always counts both ways.
DatasetStatistics compute_statistics(
    const RawDataset& raw, Direction direction = Direction::as_stored);

/// One object with the names above; NaN and what has no value become null.
void to_json(nlohmann::ordered_json& json, const DatasetStatistics& statistics);

}  // namespace ordered_gnn
