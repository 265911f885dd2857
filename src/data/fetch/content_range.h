#pragma once
#include <cstdint>
#include <string_view>

namespace ordered_gnn::data {

/// Which part of a file a server sends.
struct ContentRange {
  int64_t offset = -1;  ///< -1 when the header makes no sense
  int64_t total = -1;   ///< bytes of the whole file; -1 when not said
};

/// Parses a Content-Range header, "bytes OFFSET-LAST/TOTAL" or
/// "bytes OFFSET-LAST/*".
ContentRange parse_content_range(std::string_view text);

}  // namespace ordered_gnn::data
