#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// What to tell whoever trains on this data: a sentence when the model hears
/// the two ends of an edge apart and every edge of the data runs both ways;
/// else nothing.
std::vector<std::string> direction_remarks(const RunOptions& options,
                                           const NodeDataset& data);

}  // namespace ordered_gnn::training
