#pragma once
#include <cstddef>
#include <string>

namespace ordered_gnn {

/// Complete JSON of this many lists within each other. Trees of so many levels
/// overflow the stack of whatever calls itself for each.
inline std::string deep_json(size_t levels = 100000) {
  return std::string(levels, '[') + std::string(levels, ']');
}

/// The same below a key of an object.
inline std::string deep_object(const std::string& key, size_t levels = 100000) {
  return "{\"" + key + "\": " + deep_json(levels) + "}";
}

}  // namespace ordered_gnn
