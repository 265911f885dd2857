#include "lab/sweep/search_dimension.h"

#include <algorithm>
#include <cmath>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {
namespace {

// Options that hardly change a run, or without which runs cannot be compared.
const std::vector<std::string> kNotSearched = {
    "data",       "format", "split-set", "split-file",        "metric",
    "split-seed", "device", "math",      "checkpoint-layers", "reorder"};

const OptionSpec& searchable_option(const std::string& name) {
  const OptionSpec& spec = find_option(run_option_table(), "option", name).spec;
  if (spec.execution_only ||
      std::count(kNotSearched.begin(), kNotSearched.end(), spec.name) > 0) {
    throw UsageError(fmt::format(
        "option '{}' cannot be searched; set it under \"fixed\"", spec.name));
  }
  return spec;
}

std::vector<const OptionSpec*> options_of(const std::string& key) {
  std::vector<const OptionSpec*> options;
  size_t begin = 0;
  while (begin <= key.size()) {
    const size_t end = std::min(key.find('+', begin), key.size());
    options.push_back(&searchable_option(key.substr(begin, end - begin)));
    begin = end + 1;
  }
  return options;
}

void check_choice(const std::vector<const OptionSpec*>& options,
                  const std::vector<Json>& choice) {
  if (choice.size() != options.size()) {
    throw UsageError(fmt::format("takes lists of {} values, got {}",
                                 options.size(), Json(choice).dump()));
  }
  for (size_t i = 0; i < options.size(); ++i) {
    check_option(*options[i], choice[i]);
  }
}

std::vector<std::vector<Json>> parse_choices(
    const std::vector<const OptionSpec*>& options, const Json& list) {
  if (list.empty()) throw UsageError("has an empty list of values");
  std::vector<std::vector<Json>> choices;
  for (const Json& entry : list) {
    const bool together = options.size() > 1;
    if (together && !entry.is_array()) {
      throw UsageError(fmt::format("takes lists of {} values, got {}",
                                   options.size(), entry.dump()));
    }
    const std::vector<Json> choice =
        together ? entry.get<std::vector<Json>>() : std::vector<Json>{entry};
    check_choice(options, choice);
    if (std::count(choices.begin(), choices.end(), choice) > 0) {
      throw UsageError(fmt::format("has {} twice", entry.dump()));
    }
    choices.push_back(choice);
  }
  return choices;
}

double bound(const OptionSpec& option, const Json& value, const char* name) {
  if (!value.contains(name)) {
    throw UsageError("needs both \"min\" and \"max\"");
  }
  check_option(option, value[name]);
  return value[name].get<double>();
}

bool is_logarithmic(const Json& value, const SearchRange& range) {
  if (!value.contains("scale")) return false;
  const std::vector<std::string> scales = {"linear", "log"};
  if (!value["scale"].is_string() ||
      std::count(scales.begin(), scales.end(), value["scale"]) == 0) {
    throw UsageError(
        fmt::format("takes the scale \"linear\" or \"log\", got {}",
                    value["scale"].dump()));
  }
  if (value["scale"] == "log" && range.min <= 0) {
    throw UsageError("has a logarithmic scale, so \"min\" must be above 0");
  }
  return value["scale"] == "log";
}

SearchRange parse_range(const OptionSpec& option, const Json& value) {
  if (option.kind != OptionKind::integer && option.kind != OptionKind::real) {
    throw UsageError("is not a number and takes a list of values");
  }
  const std::vector<std::string> known = {"min", "max", "scale", "step"};
  for (const auto& [key, unused] : value.items()) {
    if (std::count(known.begin(), known.end(), key) == 0) {
      throw UsageError(core::unknown_name_message("key", key, known));
    }
  }
  SearchRange range;
  range.min = bound(option, value, "min");
  range.max = bound(option, value, "max");
  range.integer = option.kind == OptionKind::integer;
  if (range.min >= range.max) {
    throw UsageError(
        fmt::format("has a \"min\" of {}, which is not below its "
                    "\"max\" of {}",
                    value["min"].dump(), value["max"].dump()));
  }
  range.logarithmic = is_logarithmic(value, range);
  return range;
}

// The values of a range with a step, without the noise of adding up fractions.
std::vector<std::vector<Json>> stepped(const SearchRange& range,
                                       const Json& step) {
  if (range.logarithmic) {
    throw UsageError("has a step, which needs a linear scale");
  }
  if (!step.is_number() || !(step.get<double>() > 0) ||
      (range.integer && !step.is_number_integer())) {
    throw UsageError(fmt::format("takes a step above 0{}, got {}",
                                 range.integer ? " without fraction" : "",
                                 step.dump()));
  }
  const double count =
      std::floor((range.max - range.min) / step.get<double>() + 1 + 1e-9);
  if (count > static_cast<double>(kMostSettings)) {
    throw UsageError(fmt::format("has {:g} steps, at most {} are searched",
                                 count, kMostSettings));
  }
  std::vector<std::vector<Json>> choices;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    const double value =
        range.min + static_cast<double>(i) * step.get<double>();
    choices.push_back({range.integer
                           ? Json(static_cast<int64_t>(std::llround(value)))
                           : Json(std::stod(fmt::format("{:.12g}", value)))});
  }
  return choices;
}

SearchDimension dimension_of(const std::string& key, const Json& value) {
  const std::vector<const OptionSpec*> options = options_of(key);
  SearchDimension dimension;
  for (const OptionSpec* option : options) {
    dimension.names.push_back(option->name);
  }
  if (value.is_array()) {
    dimension.choices = parse_choices(options, value);
  } else if (value.is_object() && options.size() == 1) {
    dimension.range = parse_range(*options[0], value);
    if (value.contains("step")) {
      dimension.choices = stepped(dimension.range, value["step"]);
    }
  } else {
    throw UsageError(fmt::format(
        "takes a list of values{}, got {}",
        options.size() == 1 ? " or {\"min\": ..., \"max\": ...}" : "",
        value.dump()));
  }
  return dimension;
}

}  // namespace

SearchDimension parse_dimension(const std::string& key, const Json& value) {
  try {
    return dimension_of(key, value);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("\"search\", '{}': {}", key, error.what()));
  }
}

}  // namespace ordered_gnn::lab
