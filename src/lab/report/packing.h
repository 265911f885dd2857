#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ordered_gnn::lab {

/// RFC 4648 with padding, without line breaks.
std::string base64(std::string_view bytes);

/// Length of base64().
constexpr int64_t base64_size(int64_t bytes) { return (bytes + 2) / 3 * 4; }

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
void append_varint(uint64_t value, std::string& out);

/// A share in [0, 1] as the nearest of 0, 1/255, ... 1; NaN is 0.
uint8_t quantised(double share);

}  // namespace ordered_gnn::lab
