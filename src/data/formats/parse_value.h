#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace ordered_gnn::data {

/// All of `text` as a finite number of type T, or nothing. A plus sign, spaces
/// and an empty text are refused.
template <typename T>
std::optional<T> parse_value(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

}  // namespace ordered_gnn::data
