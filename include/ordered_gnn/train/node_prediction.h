#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/added_nodes.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn {

/// What a model says of some nodes of a graph.
struct NodePrediction {
  at::Tensor nodes;                ///< [R] int64
  std::vector<std::string> names;  ///< theirs; numbers where nodes have none
  Prediction prediction;           ///< row i is that of nodes[i]
  /// How much of the graph was computed.
  int64_t computed_nodes = 0, computed_edges = 0;
  /// Why that was all of it, to be read after "because"; empty: it was a part.
  std::string whole_because;
};

/// The rows of predict() for some nodes, computed on what they hear alone: with
/// K rounds of messages (ModelEntry::reach) the nodes within K steps against
/// the messages, each with its degree in the whole graph.
///
/// The numbers are those of predict(): sums are made in the same order, and our
/// kernels treat every row alike. Last bits may differ in models with functions
/// of LibTorch (exp, tanh and what is made of them), which are rounded in
/// another way in the last few elements of a tensor, and in builds whose
/// compiler does not fuse multiplications and additions alike for all rows.
///
/// All of the graph is computed where the model needs it (no reach, a model of
/// the caller's own, Correct & Smooth), and where the part would hold more than
/// half of the graph's edges, or half of its nodes are asked for.
///
/// @param nodes  [R] int64 on the CPU, in 0 .. N - 1, in any order, also twice.
/// @throws as predict() does; UsageError for a node that is not there, and when
///         the data was reordered(): whose numbers `nodes` has is not told.
NodePrediction predict_nodes(const Trained& trained, const NodeDataset& data,
                             const at::Tensor& nodes,
                             const PredictionOptions& options);
/// With prediction_options().
NodePrediction predict_nodes(const Trained& trained, const NodeDataset& data,
                             const at::Tensor& nodes);

/// Which rows predict_added() gives.
enum class AddedRows {
  new_nodes,
  /// Also those of old nodes that the additions may change: within K steps
  /// along the messages of a node that receives new ones, one more for models
  /// that read Graph::two_hop(), all for those that need the whole graph. New
  /// nodes come first, then the others, rising.
  changed_nodes,
};

/// The rows of predict(trained, with_added(data, added), options), as
/// predict_nodes() would give them, without building that dataset: time and
/// memory follow the part that is computed, but for a few bytes per node.
/// @throws as predict_nodes() and with_added() do, and Error for new nodes and
///         a model that has parameters for those it was trained on.
NodePrediction predict_added(const Trained& trained, const NodeDataset& data,
                             const AddedNodes& added, AddedRows rows,
                             const PredictionOptions& options);
/// With prediction_options().
NodePrediction predict_added(const Trained& trained, const NodeDataset& data,
                             const AddedNodes& added,
                             AddedRows rows = AddedRows::new_nodes);

}  // namespace ordered_gnn
