#include "ordered_gnn/core/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/affixes.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

// {:g} would round long integers and write them with an exponent. The largest
// unsigned integer is no double.
std::string bound_text(OptionKind kind, double bound) {
  if (kind != OptionKind::integer) return fmt::format("{:g}", bound);
  return bound < 0x1p64 ? fmt::format("{:.0f}", bound) : "2^64 - 1";
}

std::string describe_range(const OptionSpec& spec) {
  const bool low = std::isfinite(spec.min);
  const bool high = std::isfinite(spec.max);
  const std::string min = bound_text(spec.kind, spec.min);
  const std::string max = bound_text(spec.kind, spec.max);
  if (low && high) return fmt::format(" from {} to {}", min, max);
  if (low) return " of at least " + min;
  if (high) return " of at most " + max;
  return "";
}

[[noreturn]] void fail_value(const OptionSpec& spec, const std::string& got) {
  std::string message = fmt::format("option '{}' takes {}, got {}", spec.name,
                                    describe_values(spec), got);
  const std::string nearest = core::nearest_name(got, spec.choices);
  if (!nearest.empty() && nearest != got) {
    message += fmt::format("; did you mean '{}'?", nearest);
  }
  throw UsageError(message);
}

bool kind_fits(OptionKind kind, const Json& value) {
  switch (kind) {
    case OptionKind::flag:
      return value.is_boolean();
    case OptionKind::integer:
      return value.is_number_integer();
    case OptionKind::real:
      return value.is_number();
    case OptionKind::text:
      return value.is_string();
  }
  return false;
}

// NaN passes no comparison.
bool is_in_range(const OptionSpec& spec, const Json& value) {
  const double number = value.get<double>();
  // A field without a range of its own is signed: more would wrap around.
  const bool wraps = value.is_number_unsigned() && !std::isfinite(spec.max) &&
                     number >= 0x1p63;
  return std::isfinite(number) && number >= spec.min && number <= spec.max &&
         !wraps;
}

// Null when the word is no number of this type.
template <typename T>
Json parse_numeric(const std::string& word) {
  T value{};
  const char* const end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, value);
  return status == std::errc{} && stop == end ? Json(value) : Json();
}

Json parse_integer(const std::string& word) {
  const Json value = parse_numeric<int64_t>(word);
  return value.is_null() ? parse_numeric<uint64_t>(word) : value;
}

Json parse_flag(const std::string& word) {
  if (word == "true" || word == "1" || word == "on") return Json(true);
  if (word == "false" || word == "0" || word == "off") return Json(false);
  return Json();
}

Json parse_word(OptionKind kind, const std::string& word) {
  switch (kind) {
    case OptionKind::flag:
      return parse_flag(word);
    case OptionKind::integer:
      return parse_integer(word);
    case OptionKind::real:
      return parse_numeric<double>(word);
    case OptionKind::text:
      break;
  }
  return Json(word);
}

}  // namespace

std::string describe_values(const OptionSpec& spec) {
  if (!spec.choices.empty()) {
    return fmt::format("one of {}", fmt::join(spec.choices, ", "));
  }
  switch (spec.kind) {
    case OptionKind::flag:
      return "true or false";
    case OptionKind::integer:
      return "an integer" + describe_range(spec) +
             (spec.zero_word.empty() ? "" : " or " + spec.zero_word);
    case OptionKind::real:
      return "a number" + describe_range(spec);
    case OptionKind::text:
      break;
  }
  return "a text";
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  // Unlike dump(): whole numbers without ".0", and NaN by its name.
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

void check_option(const OptionSpec& spec, const Json& value) {
  if (!kind_fits(spec.kind, value)) fail_value(spec, value.dump());
  if (value.is_number() && !is_in_range(spec, value)) {
    fail_value(spec, value_text(value));
  }
  if (!spec.choices.empty()) {
    const auto text = value.get<std::string>();
    if (std::find(spec.choices.begin(), spec.choices.end(), text) ==
        spec.choices.end()) {
      fail_value(spec, text);
    }
  }
}

Json parse_option(const OptionSpec& spec, const std::string& word) {
  const bool is_zero = !spec.zero_word.empty() && word == spec.zero_word;
  Json value = parse_word(spec.kind, is_zero ? "0" : word);
  if (value.is_null()) fail_value(spec, "'" + word + "'");
  check_option(spec, value);
  return value;
}

bool same_option(const std::string& name, const std::string& other) {
  return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                    [](char a, char b) {
                      return (a == '_' ? '-' : a) == (b == '_' ? '-' : b);
                    });
}

bool is_comment_key(const std::string& key) {
  return core::starts_with(key, "//");
}

void fail_unknown_option(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known) {
  throw UsageError(core::unknown_name_message(kind, name, known));
}

}  // namespace ordered_gnn
