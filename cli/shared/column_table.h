#pragma once
#include <nlohmann/json.hpp>

#include "ordered_gnn/data/dataset.h"
#include "shared/table.h"

namespace ordered_gnn::cli {

/// The columns of a dataset made from a table, one a line: name, kind, missing
/// values, what becomes of it, how many features.
Table column_table(const RawDataset& raw);

/// The same as an array of objects.
nlohmann::ordered_json column_list(const RawDataset& raw);

}  // namespace ordered_gnn::cli
