#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::data {

/// Columns as dataset files and checkpoints state them: an array of objects.
/// Positions of features are not written, they follow from the rest.
nlohmann::json columns_json(const std::vector<Column>& columns);

/// @throws Error when a key is missing, has another type or makes no sense
///         (a deviation that is not above 0, a number that is not finite).
std::vector<Column> columns_from_json(const nlohmann::json& json);

/// Sets num_features and first_feature from the other fields.
void place_features(std::vector<Column>& columns);

}  // namespace ordered_gnn::data
