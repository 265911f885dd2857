#pragma once
#include <string>

#include "lab/sweep/search_space.h"

namespace ordered_gnn::lab {

/// Reads one entry of a search space.
/// @throws UsageError as SearchSpace does.
SearchDimension parse_dimension(const std::string& key, const Json& value);

}  // namespace ordered_gnn::lab
