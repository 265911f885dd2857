#pragma once
#include <functional>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {

/// load_training_dataset() that shows the data before it is treated.
/// @param on_raw  may be empty.
NodeDataset load_training_dataset(
    DataOptions& options, const std::function<void(const RawDataset&)>& on_raw);

}  // namespace ordered_gnn::data
