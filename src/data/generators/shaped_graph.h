#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Size of a benchmark dataset, without loops or repeats.
struct GraphShape {
  std::string name;
  int64_t nodes = 0;
  /// Distinct edges: ordered pairs when directed, else unordered ones.
  int64_t edges = 0;
  bool directed = false;
  int64_t features = 0;
  double density = 1;  ///< share of non-zero features; 1 = dense
  int64_t classes = 0;
  double homophily = 0;
};

/// The nine datasets of the paper's main table, ogbn-arxiv, and minesweeper for
/// the extended model.
const std::vector<GraphShape>& paper_shapes();

struct ShapedGraphOptions {
  double signal = 1;  ///< of the features, as in CsbmOptions
  int64_t splits = 10;
  double train = 0.48;
  double val = 0.32;
  uint64_t seed = 0;
};

/// Every field with its range and help.
const std::vector<Option<ShapedGraphOptions>>& shaped_graph_option_table();

/// Random stand-in of a given shape for timing: receivers are uniform, senders
/// have the heavy-tailed popularity (u + 0.001)^-0.7, u uniform, and the ends
/// of an edge share their class with the shape's homophily. Never use it to
/// state a result for the dataset whose shape it has.
RawDataset generate_shaped_graph(const GraphShape& shape,
                                 const ShapedGraphOptions& options);

}  // namespace ordered_gnn::data
