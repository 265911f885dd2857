#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn {

/// Holds a value against a schema of an OpenAPI document, as far as ours go:
/// type, properties, required, additionalProperties, items, minItems, maxItems,
/// minLength, minimum, maximum, oneOf and $ref.
/// @param document  what references point into.
/// @return          what does not fit, each with its place.
std::vector<std::string> schema_errors(const Json& document, const Json& schema,
                                       const Json& value);

}  // namespace ordered_gnn
