#pragma once
#include <cstddef>
#include <cstdint>

#include "core/io/little_endian.h"

namespace ordered_gnn::core::packed {

// Texts in steps of eight characters: the bytes of a 64-bit word, the first
// one lowest.

inline constexpr uint64_t kOnes = 0x0101010101010101u;

/// The high bit of every byte of `word` that is zero; bits above the lowest
/// one may be set in error.
inline uint64_t zero_bytes(uint64_t word) {
  return (word - kOnes) & ~word & (kOnes << 7);
}

/// Position of the byte that has the lowest set bit of `bits`, not 0.
inline size_t first_byte(uint64_t bits) {
  return static_cast<size_t>(__builtin_ctzll(bits)) / 8;
}

/// A text of 1 to 8 characters, zeros behind it.
inline uint64_t load_text(const char* text, size_t size) {
  if (size >= 4) {
    const uint64_t end = load_le<uint32_t>(text + size - 4);
    return load_le<uint32_t>(text) | end << (8 * (size - 4));
  }
  if (size >= 2) {
    const uint64_t end = load_le<uint16_t>(text + size - 2);
    return load_le<uint16_t>(text) | end << (8 * (size - 2));
  }
  return static_cast<unsigned char>(*text);
}

/// The number that eight digits make; false when one of them is none.
inline bool eight_digits(uint64_t word, uint64_t& value) {
  constexpr uint64_t kHigh = kOnes * 0xF0;
  if (((word & kHigh) | ((word + kOnes * 6) & kHigh) >> 4) != kOnes * 0x33) {
    return false;
  }
  // Neighbours join: digits to numbers below 100, these to below 10000.
  word = (word & kOnes * 0x0F) * (10 * 256 + 1) >> 8;
  word = (word & 0x00FF00FF00FF00FFu) * (100 * 65536 + 1) >> 16;
  value =
      (word & 0x0000FFFF0000FFFFu) * (10000 * (uint64_t{1} << 32) + 1) >> 32;
  return true;
}

}  // namespace ordered_gnn::core::packed
