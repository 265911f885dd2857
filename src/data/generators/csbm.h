#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/generators/random_features.h"
#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Contextual stochastic block model: a random graph whose edges and features
/// both carry a dialled amount of information about the class.
struct CsbmOptions {
  int64_t nodes = 1000;
  int64_t classes = 5;
  int64_t features = 64;
  double degree = 10;  ///< mean number of neighbours (directed: out-edges)
  /// Probability that the two ends of an edge have the same class.
  double homophily = 0.5;
  /// Node weights are exp(degree_spread * z), z standard normal: 0 gives near
  /// equal degrees, 1 and above a heavy tail.
  double degree_spread = 0;
  /// Gaussian features: distance between any two class means when the noise
  /// has deviation 1 (exact with features >= classes, on average otherwise).
  /// Sparse features: a word comes from its class's own part of the words
  /// with probability signal / (signal + 2), else from all words.
  double signal = 1;
  bool directed = false;
  bool sparse = false;    ///< 0/1 sparse features instead of Gaussian ones
  double density = 0.05;  ///< share of non-zero features when sparse
  int64_t splits = 10;    ///< random splits, stratified by class
  double train = 0.48;
  double val = 0.32;  ///< what train and val leave is the test part
  uint64_t seed = 0;
};

/// The options of "csbm" or "csbm?key=value&...", "synthetic:" may go before;
/// no value for another name.
/// @throws UsageError as generate_synthetic() does.
std::optional<CsbmOptions> parse_csbm(const std::string& spec);

/// Every field with its range and help.
const std::vector<Option<CsbmOptions>>& csbm_option_table();

/// Draws a graph without loops or repeated edges, in O(nodes * features +
/// edges). The same options give the same bits for any number of threads.
/// Classes differ in size by at most one node. Edges that find no free
/// place in a graph too dense for its weights are left out and noted.
/// @throws Error naming the option that is out of range, or the memory that
///         the graph takes when it is not there.
RawDataset generate_csbm(const CsbmOptions& options);

/// The same without the features, which GaussianRows draws of csbm_features();
/// not validated.
RawDataset generate_csbm_graph(const CsbmOptions& options);
RandomFeatureOptions csbm_features(const CsbmOptions& options);

}  // namespace ordered_gnn::data
