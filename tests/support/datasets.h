#pragma once
#include <memory>
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn {

/// A narrow model of two layers that trains so many epochs, whatever it has
/// reached before.
RunOptions short_run(const std::string& model, int64_t epochs);

/// Options of a run that takes a fraction of a second: a generated graph of 60
/// nodes, three splits, a small model.
RunOptions tiny_run();

/// A fresh model of the options that fits the data.
std::shared_ptr<NodeModel> model_for(const NodeDataset& data,
                                     const RunOptions& options,
                                     int64_t seed = 1);

}  // namespace ordered_gnn
