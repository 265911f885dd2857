#pragma once
#include <string>

#include "ordered_gnn/experiment/search_space.h"

namespace ordered_gnn::detail {

/// Reads one entry of a search space.
/// @throws UsageError as SearchSpace does.
SearchDimension parse_dimension(const std::string& key, const Json& value);

}  // namespace ordered_gnn::detail
