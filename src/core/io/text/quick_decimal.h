#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/io/text/packed_text.h"
#include "core/io/text/quick_number.h"

namespace ordered_gnn::core {

namespace packed {

/// A decimal of 1 to 8 characters: no loop over them, whose end would be
/// guessed wrong once per number.
inline bool short_decimal(std::string_view text, double& value) {
  uint64_t word = load_text(text.data(), text.size());
  size_t size = text.size();
  const bool negative = (word & 0xFF) == '-';
  if (negative) {
    word >>= 8;
    --size;
  }
  size_t places = 0;
  const uint64_t points = zero_bytes(word ^ kOnes * '.');
  if (points != 0) {
    const size_t whole = first_byte(points);
    const uint64_t before = (uint64_t{1} << (8 * whole)) - 1;
    word = (word & before) | (word >> 8 & ~before);
    --size;
    places = size - whole;
  }
  if (size == 0) return false;
  // Zeros before the first digit make it eight.
  word = word << (64 - 8 * size) | (kOnes * '0' >> 8) >> (8 * (size - 1));
  uint64_t digits = 0;
  if (!eight_digits(word, digits)) return false;
  const double magnitude =
      static_cast<double>(digits) / quick::kExactPowers[places];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace packed

/// All of `text` as a plain decimal of up to 15 digits: "12", "-3.5", ".5".
/// Its digits and the power of ten are exact doubles, so their quotient is the
/// nearest one. False leaves the text to a parser that takes more.
inline bool quick_decimal(std::string_view text, double& value) {
  if (text.empty() || text.size() > 17) return false;
  if (text.size() <= 8) return packed::short_decimal(text, value);
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = *at == '-';
  if (negative) ++at;
  uint64_t digits = 0;
  const char* const whole = at;
  for (; at != end && is_digit(*at); ++at) {
    digits = 10 * digits + static_cast<uint64_t>(*at - '0');
  }
  int64_t count = at - whole;
  int64_t places = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && is_digit(*at); ++at) {
      digits = 10 * digits + static_cast<uint64_t>(*at - '0');
    }
    places = at - fraction;
    count += places;
  }
  if (at != end || count < 1 || count > 15) return false;
  const double magnitude =
      static_cast<double>(digits) / quick::kExactPowers[places];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace ordered_gnn::core
