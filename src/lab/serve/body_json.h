#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// Reads the body of a request. A key that an object has twice is refused: one
/// of two lists of changes would be lost in silence.
/// @param place  what errors call the text.
/// @throws Error as core::parse_json() does, or naming the key.
Json parse_body(std::string_view text, const std::string& place,
                int64_t max_bytes);

}  // namespace ordered_gnn::lab
