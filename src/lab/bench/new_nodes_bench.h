#pragma once
#include <cstdint>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/node_prediction.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// Whom a new node knows.
enum class NewEdges {
  anywhere,  ///< nodes drawn from all
  near,      ///< a drawn node and those nearest to it along its messages
};

struct NewNodesBenchOptions {
  RunOptions run;           ///< model, network and execution are used
  int64_t new_nodes = 100;  ///< that join the graph
  int64_t edges = 5;  ///< of each; fewer where a node has fewer near to it
  NewEdges to = NewEdges::anywhere;
  int64_t repeats = 3;  ///< timed predictions; medians are reported
};

/// What a prediction of new nodes costs beside one of the whole graph.
struct NewNodesBench {
  double ms_all = 0;  ///< predict() of the graph as it is
  double ms_new = 0;  ///< predict_added() of the new nodes
  NodePrediction last;
  /// The largest difference between the logits of the new nodes and those that
  /// predict() gives for the grown graph.
  double difference = 0;
};

/// Times both in turn, so that they see the same machine, with a network that
/// is not trained: what weights are does not matter to the time.
NewNodesBench bench_new_nodes(const NodeDataset& data,
                              const NewNodesBenchOptions& options);

}  // namespace ordered_gnn::lab
