#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::core {

/// Up to here every program reads a whole number of JSON exactly: 2^53.
constexpr int64_t kMostWhole = int64_t{1} << 53;

/// Whether a value is a whole number in [least, most]; 2.0 and 1e3 are none.
bool is_whole_number(const Json& value, int64_t least = 0,
                     int64_t most = kMostWhole);

/// The whole number that an object has under `key`. All numbers of files are
/// taken this way or by real_number(): the library's own conversion makes 2^63
/// negative and 1e300 anything.
/// @throws Error naming the key when it is missing, no whole number, or not in
///         [least, most].
int64_t whole_number(const Json& object, const std::string& key,
                     int64_t least = 0, int64_t most = kMostWhole);

/// The same, and `missing` where there is no such key.
int64_t whole_number_or(int64_t missing, const Json& object,
                        const std::string& key, int64_t least = 0,
                        int64_t most = kMostWhole);

/// The number that an object has under `key`.
/// @throws Error naming the key when it is missing, no number, or not in
///         [least, most].
double real_number(const Json& object, const std::string& key,
                   double least = std::numeric_limits<double>::lowest(),
                   double most = std::numeric_limits<double>::max());

/// JSON knows no NaN and no infinity: null stands for both.
inline Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// What number_or_null() wrote; NaN for whatever is no number.
inline double number_or_nan(const Json& value) {
  return value.is_number() ? value.get<double>()
                           : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ordered_gnn::core
