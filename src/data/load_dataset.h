#pragma once
#include <functional>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {

/// ordered_gnn::load_dataset(), which shows the data as its files state it
/// before it is treated.
/// @param on_raw  may be empty.
NodeDataset load_dataset(const DataOptions& options,
                         const std::function<void(const RawDataset&)>& on_raw);

}  // namespace ordered_gnn::data
