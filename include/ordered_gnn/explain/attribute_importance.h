#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/attributes.h"
#include "ordered_gnn/explain/node_table.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/options.h"

namespace ordered_gnn {

struct ImportanceOptions {
  Metric metric = Metric::accuracy;
  int64_t repeats = 5;          ///< shuffles of an attribute, at least 1
  int64_t max_attributes = 30;  ///< that are tried, at least 1
  /// Work of all passes, see AttributionOptions; it may leave room for fewer
  /// attributes, five at least.
  int64_t max_visits = 2000000000;
  uint64_t seed = 0;  ///< of the shuffles
};

/// How much a model's score falls when an attribute is shuffled over the nodes.
struct AttributeImportance {
  int64_t attribute = 0;  ///< place in attributes_of() of the dataset
  std::string name;
  double drop = 0;  ///< score minus score when shuffled, mean over the repeats
  /// Deviation of the drops over the root of their number; NaN for one.
  double standard_error = 0;
};

/// Which attributes matter to a model on a whole graph: their permutation
/// importance (Breiman, 2001).
struct ImportanceReport {
  /// Why there is none, a sentence; all that follows is empty then.
  std::string why_none;
  Metric metric = Metric::accuracy;
  std::string part;   ///< "test", "val" or "all" (labelled nodes)
  int64_t nodes = 0;  ///< that are scored
  double score = 0;   ///< with nothing shuffled
  int64_t repeats = 0;
  int64_t num_attributes = 0;  ///< of the dataset, tried or not
  /// Those that were tried, largest drop first.
  std::vector<AttributeImportance> attributes;
};

/// All features of an attribute move together from node to node, by one
/// permutation of all nodes per repeat; everything else stays. The score is on
/// the labelled nodes of the test part; of the validation part when that has
/// none; of all nodes when neither has. Where the metric has no value there
/// (see Scores) the accuracy stands in, and the report says accuracy.
///
/// Of more attributes than max_attributes those are tried that the scored
/// nodes' log-odds depend on most, in one backward pass:
///
///   sum over nodes v of |sum over features i of (X_vi - B_i) df/dX_vi|
///
/// with f the sum of the log-odds of the predicted classes and B as in
/// NodeAttribution. The same bits for any number of threads.
///
/// @param nodes  describe_nodes() of the same model and data.
/// @throws Error when the table is of another graph or an option out of range.
ImportanceReport attribute_importance(NodeModel& model, const NodeDataset& data,
                                      const NodeTable& nodes,
                                      const ImportanceOptions& options = {});

}  // namespace ordered_gnn
