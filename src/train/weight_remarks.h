#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/train/run_options.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::training {

/// What to tell whoever trains on this data: a sentence when it has edge
/// weights that have no effect on the run; else nothing.
std::vector<std::string> weight_remarks(const RunOptions& options,
                                        const NodeDataset& data);

/// The same for whoever uses a model, and a sentence when its data and this
/// differ in having edge weights; what require_fit() refuses is not told.
std::vector<std::string> weight_remarks(const Trained& trained,
                                        const NodeDataset& data);

/// @throws UsageError for edge weights that a model reads with rows of nodes
///         stored in 16 bits, which sums with weights do not take.
void require_math_for_weights(const RunOptions& options,
                              const ExecutionOptions& execution,
                              const NodeDataset& data);

}  // namespace ordered_gnn::training
