#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ordered_gnn::lab {

constexpr std::array<uint32_t, 256> crc32c_table() {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest >> 1) ^ ((rest & 1) != 0 ? kReversedPolynomial : 0);
    }
    table[byte] = rest;
  }
  return table;
}

/// CRC-32C (Castagnoli), the checksum of TFRecord files; zlib's is another.
inline uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = crc32c_table();
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return crc ^ 0xffffffff;
}

}  // namespace ordered_gnn::lab
