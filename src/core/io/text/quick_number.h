#pragma once
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

/// Parsers for files of many numbers. They take the common forms only and
/// leave the rest, errors included, to the parsers that explain: on success
/// `at` moves behind the number, on failure it stays.

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

/// One to 18 digits without a sign.
inline bool quick_integer(const char*& at, const char* end, int64_t& value) {
  const char* next = at;
  uint64_t digits = 0;
  for (; next != end && is_digit(*next); ++next) {
    digits = 10 * digits + static_cast<uint64_t>(*next - '0');
  }
  if (next == at || next - at > 18) return false;
  value = static_cast<int64_t>(digits);
  at = next;
  return true;
}

namespace quick {

// The powers of ten that a double holds exactly.
inline constexpr double kExactPowers[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int64_t kMaxExactPower = 22;

// digits * 10^exponent as the nearest float, when one rounding to double and
// one to float are sure to give it: both factors are exact, so the double is
// the nearest one; it rounds on as the exact number would unless it lies
// halfway between two floats.
inline bool nearest_float(uint64_t digits, int64_t exponent, float& value) {
  if (digits == 0) {
    value = 0;
    return true;
  }
  if (digits > (uint64_t{1} << 53) || exponent < -kMaxExactPower ||
      exponent > kMaxExactPower) {
    return false;
  }
  const double whole = static_cast<double>(digits);
  const double number = exponent < 0 ? whole / kExactPowers[-exponent]
                                     : whole * kExactPowers[exponent];
  if (number < FLT_MIN || number > FLT_MAX) return false;
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  constexpr uint64_t kDropped = (uint64_t{1} << 29) - 1;
  if ((bits & kDropped) == uint64_t{1} << 28) return false;
  value = static_cast<float>(number);
  return true;
}

// An exponent of up to four digits behind 'e'.
inline bool quick_exponent(const char*& at, const char* end, int64_t& value) {
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* const first = at;
  int64_t digits = 0;
  for (; at != end && is_digit(*at) && at - first < 5; ++at) {
    digits = 10 * digits + (*at - '0');
  }
  value = negative ? -digits : digits;
  return at != first && at - first < 5;
}

}  // namespace quick

/// A decimal number of up to 19 digits, as the nearest float. -0 keeps its
/// sign. What is not sure to be the nearest is refused.
inline bool quick_float(const char*& at, const char* end, float& value) {
  const char* next = at;
  const bool negative = next != end && *next == '-';
  if (negative) ++next;
  uint64_t digits = 0;
  const char* const whole = next;
  for (; next != end && is_digit(*next); ++next) {
    digits = 10 * digits + static_cast<uint64_t>(*next - '0');
  }
  int64_t count = next - whole;
  int64_t exponent = 0;
  if (next != end && *next == '.') {
    const char* const fraction = ++next;
    for (; next != end && is_digit(*next); ++next) {
      digits = 10 * digits + static_cast<uint64_t>(*next - '0');
    }
    exponent = fraction - next;
    count -= exponent;
  }
  if (count < 1 || count > 19) return false;
  if (next != end && (*next == 'e' || *next == 'E')) {
    int64_t stated = 0;
    if (!quick::quick_exponent(++next, end, stated)) return false;
    exponent += stated;
  }
  float magnitude = 0;
  if (!quick::nearest_float(digits, exponent, magnitude)) return false;
  value = negative ? -magnitude : magnitude;
  at = next;
  return true;
}

/// All of `field` as the nearest finite float; what is too close to zero for
/// one becomes zero.
/// @throws Error at `place` naming `what` and the field.
float parse_float(std::string_view field, std::string_view what,
                  const SourceLine& place);

}  // namespace ordered_gnn::core
