#include "lab/report/packing.h"

#include <algorithm>
#include <cmath>

namespace ordered_gnn::lab {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(
      static_cast<size_t>(base64_size(static_cast<int64_t>(bytes.size()))));
  const auto byte = [&](size_t i) {
    return i < bytes.size()
               ? static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]))
               : 0u;
  };
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return out;
}

void append_varint(uint64_t value, std::string& out) {
  while (value >= 128) {
    out += static_cast<char>(value % 128 + 128);
    value /= 128;
  }
  out += static_cast<char>(value);
}

uint8_t quantised(double share) {
  if (!(share > 0)) return 0;
  return static_cast<uint8_t>(std::lround(255 * std::min(share, 1.0)));
}

}  // namespace ordered_gnn::lab
