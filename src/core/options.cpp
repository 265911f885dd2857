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

std::string describe_range(const OptionSpec& spec) {
  const bool low = std::isfinite(spec.min);
  const bool high = std::isfinite(spec.max);
  // {:g} would round long integers and write them with an exponent.
  const auto text = [&](double bound) {
    return spec.kind == OptionKind::integer ? fmt::format("{:.0f}", bound)
                                            : fmt::format("{:g}", bound);
  };
  if (low && high) {
    return fmt::format(" from {} to {}", text(spec.min), text(spec.max));
  }
  if (low) return " of at least " + text(spec.min);
  if (high) return " of at most " + text(spec.max);
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

template <typename T>
Json parse_numeric(const OptionSpec& spec, const std::string& word) {
  T value{};
  const char* const end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, value);
  if (status != std::errc{} || stop != end) fail_value(spec, word);
  return Json(value);
}

Json parse_flag(const OptionSpec& spec, const std::string& word) {
  if (word == "true" || word == "1" || word == "on") return Json(true);
  if (word == "false" || word == "0" || word == "off") return Json(false);
  fail_value(spec, word);
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
      return "an integer" + describe_range(spec);
    case OptionKind::real:
      return "a number" + describe_range(spec);
    case OptionKind::text:
      break;
  }
  return "a text";
}

void check_option(const OptionSpec& spec, const Json& value) {
  if (!kind_fits(spec.kind, value)) fail_value(spec, value.dump());
  if (value.is_number()) {
    const double number = value.get<double>();
    if (!std::isfinite(number) || number < spec.min || number > spec.max) {
      fail_value(spec, value.dump());
    }
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
  Json value;
  switch (spec.kind) {
    case OptionKind::flag:
      value = parse_flag(spec, word);
      break;
    case OptionKind::integer:
      value = parse_numeric<int64_t>(spec, word);
      break;
    case OptionKind::real:
      value = parse_numeric<double>(spec, word);
      break;
    case OptionKind::text:
      value = word;
      break;
  }
  check_option(spec, value);
  return value;
}

bool is_comment_key(const std::string& key) {
  return core::starts_with(key, "//");
}

void fail_unknown_option(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known) {
  throw UsageError(core::unknown_name_message(kind, name, known));
}

}  // namespace ordered_gnn
