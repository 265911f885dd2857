#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// What a random graph with classes should look like.
struct EdgeSamplerOptions {
  /// Class of every node; classes are 0 .. C-1 and none is empty.
  const std::vector<int64_t>* classes = nullptr;
  int64_t num_classes = 0;
  /// How often a node is drawn as the first and as the second end.
  const std::vector<double>* first_weights = nullptr;
  const std::vector<double>* second_weights = nullptr;
  double homophily = 0.5;  ///< probability that both ends share their class
  bool directed = false;   ///< (u, v) and (v, u) are different edges
  int64_t num_edges = 0;
  uint64_t seed = 0;
};

struct SampledEdges {
  at::Tensor edges;       ///< [2, E] int64, distinct, without loops
  int64_t num_short = 0;  ///< edges that found no free place
};

/// Draws the first end by weight, decides whether the second shares its class,
/// and draws that one by weight in the class or outside it. Loops and repeats
/// are drawn again with the same decision, so that they do not bend the
/// homophily. Linear in the number of edges; candidates are drawn in blocks
/// with a random stream each, hence the result is the same for any number of
/// threads.
SampledEdges sample_edges(const EdgeSamplerOptions& options);

/// Makes them the edges of a dataset, with a note of those that are short.
void set_edges(RawDataset& raw, const SampledEdges& sampled, bool directed);

}  // namespace ordered_gnn::data
