#include "lab/sweep/starts.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {

Setting base_setting(const SweepSpec& spec) {
  const Json options = to_json(spec.base);
  Setting setting;
  for (const std::string& name : spec.space.names()) {
    setting.emplace_back(name, options.at(name));
  }
  return setting;
}

std::vector<Json> parse_starts(const Json& list, const SearchSpace& space) {
  if (!list.is_object()) {
    throw UsageError(
        "\"starts\" must be an object of names, with an object of searched "
        "options and values for each");
  }
  const std::vector<std::string> searched = space.names();
  std::vector<Json> starts;
  for (const auto& [name, start] : list.items()) {
    if (!start.is_object()) {
      throw UsageError(fmt::format("the start '{}' is no object", name));
    }
    for (const auto& [option, value] : start.items()) {
      if (std::count(searched.begin(), searched.end(), option) > 0) continue;
      throw UsageError(fmt::format(
          "the start '{}' has the option '{}', which is not searched", name,
          option));
    }
    RunOptions checked;
    apply_json(run_option_table(), start, checked);
    starts.push_back(start);
  }
  return starts;
}

std::vector<Setting> start_settings(const SweepSpec& spec) {
  const Setting base = base_setting(spec);
  std::vector<Setting> settings;
  for (const Json& start : spec.starts) {
    Setting setting = base;
    for (auto& [name, value] : setting) {
      if (start.contains(name)) value = start.at(name);
    }
    const bool known =
        std::find(settings.begin(), settings.end(), setting) != settings.end();
    if (!known && !(spec.try_base && setting == base)) {
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

std::vector<Setting> sample_from_starts(const SweepSpec& spec) {
  std::vector<Setting> settings = start_settings(spec);
  std::vector<Setting> around = settings;
  if (spec.try_base || around.empty()) around.push_back(base_setting(spec));
  const auto starts = static_cast<int64_t>(settings.size());
  for (Setting& drawn :
       spec.space.sample_around(around, static_cast<uint64_t>(spec.search_seed),
                                std::max<int64_t>(0, spec.trials - starts))) {
    settings.push_back(std::move(drawn));
  }
  if (starts > spec.trials) settings.resize(static_cast<size_t>(spec.trials));
  return settings;
}

}  // namespace ordered_gnn::lab
