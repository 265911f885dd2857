#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/generators/random_features.h"
#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Nodes on a ring, joined to those next to them: a graph with neighbourhoods,
/// where few nodes are within a few steps of a node. The block model is the
/// opposite, a step there multiplies by the degree.
struct SmallWorldOptions {
  int64_t nodes = 1000;
  int64_t classes = 5;
  int64_t features = 64;
  /// Neighbours of a node, half of them on either side.
  int64_t degree = 10;
  /// Probability that an edge leads to a node drawn from all instead.
  double far = 0;
  double signal = 1;  ///< of the features, see CsbmOptions
  int64_t splits = 10;
  double train = 0.48;
  double val = 0.32;
  uint64_t seed = 0;
};

/// Every field with its range and help.
const std::vector<Option<SmallWorldOptions>>& small_world_option_table();

/// Node v is joined to v + 1 .. v + degree / 2 around the ring; an edge that is
/// far keeps v and draws the other end, and where that is v itself or joined to
/// it already the edge stays near. A class is an arc of the ring, so that
/// neighbours mostly agree. Undirected, without loops or repeated edges.
/// @throws Error naming the option that is out of range, or the memory that
///         the graph takes when it is not there.
RawDataset generate_small_world(const SmallWorldOptions& options);

/// The options of "small_world" or "small_world?key=value&...", "synthetic:"
/// may go before; no value for another name.
/// @throws UsageError as generate_synthetic() does.
std::optional<SmallWorldOptions> parse_small_world(const std::string& spec);

/// The same without the features, which GaussianRows draws of
/// small_world_features(); not validated.
RawDataset generate_small_world_graph(const SmallWorldOptions& options);
RandomFeatureOptions small_world_features(const SmallWorldOptions& options);

}  // namespace ordered_gnn::data
