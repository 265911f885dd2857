#include "core/io/text/quick_number.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/io/text/text.h"

namespace ordered_gnn::core {

float parse_float(std::string_view field, std::string_view what,
                  const SourceLine& place) {
  float value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, status] = std::from_chars(field.data(), end, value);
  if (status == std::errc{} && stop == end && std::isfinite(value)) {
    return value;
  }
  value = static_cast<float>(parse_number(field, what, place));
  if (!std::isfinite(value)) {
    fail_at(place, fmt::format("{} '{}' does not fit 32 bits", what,
                               field.substr(0, 40)));
  }
  return value;
}

}  // namespace ordered_gnn::core
