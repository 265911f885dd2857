#pragma once
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn {

/// Options of a run that takes a fraction of a second: a generated graph of 60
/// nodes, three splits, a small model.
RunOptions tiny_run();

}  // namespace ordered_gnn
