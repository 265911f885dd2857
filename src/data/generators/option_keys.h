#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/formats/parse_value.h"
#include "data/generators/synthetic.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// One field of an options struct T with the range it may take. The same table
/// feeds the parser, the check of a struct filled in code, and help.
template <typename T>
struct OptionKey {
  using Field =
      std::variant<int64_t T::*, uint64_t T::*, double T::*, bool T::*>;
  const char* name;
  Field field;
  double min;  ///< of int64_t and double fields
  double max;
  const char* help;
};

template <typename T>
std::string range_text(const OptionKey<T>& key) {
  if (std::holds_alternative<bool T::*>(key.field)) return "true or false";
  if (std::holds_alternative<uint64_t T::*>(key.field)) return "0 to 2^64 - 1";
  return fmt::format("{:.10g} to {:.10g}", key.min, key.max);
}

template <typename T>
std::string value_text(const OptionKey<T>& key, const T& options) {
  return std::visit(
      [&](auto field) { return fmt::format("{}", options.*field); }, key.field);
}

/// @throws UsageError that says the range.
template <typename T>
[[noreturn]] void fail_range(const OptionKey<T>& key,
                             const std::string& value) {
  throw UsageError(fmt::format("{}: expected {}, got '{}'", key.name,
                               range_text(key), value));
}

/// Checks every field of `options`, however it was filled.
template <typename T>
void check_ranges(const std::vector<OptionKey<T>>& keys, const T& options) {
  for (const OptionKey<T>& key : keys) {
    std::visit(
        [&](auto field) {
          const double value = static_cast<double>(options.*field);
          const bool bounded = std::holds_alternative<double T::*>(key.field) ||
                               std::holds_alternative<int64_t T::*>(key.field);
          // Written so that NaN fails too.
          if (bounded && !(value >= key.min && value <= key.max)) {
            fail_range(key, value_text(key, options));
          }
        },
        key.field);
  }
}

inline bool parse_into(std::string_view text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}

template <typename Number>
bool parse_into(std::string_view text, Number& value) {
  const std::optional<Number> parsed = parse_value<Number>(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

/// Sets one field from its text; ranges are left to check_ranges().
template <typename T>
void set_from_text(const OptionKey<T>& key, std::string_view text, T& options) {
  const bool understood = std::visit(
      [&](auto field) { return parse_into(text, options.*field); }, key.field);
  if (!understood) fail_range(key, std::string(text));
}

/// The table as help lists it; defaults are those of a fresh T.
template <typename T>
std::vector<SyntheticKey> describe(const std::vector<OptionKey<T>>& keys) {
  std::vector<SyntheticKey> described;
  for (const OptionKey<T>& key : keys) {
    described.push_back(
        {key.name, value_text(key, T{}), range_text(key), key.help});
  }
  return described;
}

}  // namespace ordered_gnn::data
