#pragma once
#include <nlohmann/json_fwd.hpp>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// The form in which files of ours carry a recommended treatment: an object
/// with `direction`, `self_loops` and `features` as options spell them.
nlohmann::ordered_json treatment_json(const Treatment& treatment);

/// @throws nlohmann::json::exception when a key is missing or no text,
///         UsageError for an unknown value.
Treatment treatment_from_json(const nlohmann::json& values);

}  // namespace ordered_gnn::data
