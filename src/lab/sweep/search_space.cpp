#include "lab/sweep/search_space.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "lab/sweep/search_dimension.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::lab {
namespace {

// Draws in a row that may repeat earlier ones before a space counts as used up.
constexpr int kMostRepeats = 10000;
// Which dimensions are drawn anew comes from another stream than their values.
constexpr uint64_t kCoins = 0x636f696e73;
constexpr double kLargestExact = 9007199254740992.0;

bool is_unlisted(const SearchDimension& dimension) {
  return dimension.choices.empty();
}

Json number_in(const SearchRange& range, RandomStream& random) {
  const double low = range.min;
  // An integer stands for the stretch up to the next one.
  const double high = range.integer ? range.max + 1 : range.max;
  const double share = random.uniform();
  const double value = range.logarithmic ? low * std::pow(high / low, share)
                                         : low + (high - low) * share;
  if (range.integer) {
    return std::clamp(static_cast<int64_t>(std::floor(value)),
                      static_cast<int64_t>(range.min),
                      static_cast<int64_t>(range.max));
  }
  // Six digits are all that anyone wants to read or type again.
  return std::clamp(std::stod(fmt::format("{:.6g}", value)), range.min,
                    range.max);
}

void add_choice(const SearchDimension& dimension, size_t choice,
                Setting& setting) {
  for (size_t i = 0; i < dimension.names.size(); ++i) {
    setting.emplace_back(dimension.names[i], dimension.choices[choice][i]);
  }
}

}  // namespace

Json to_json(const Setting& setting) {
  Json json = Json::object();
  for (const auto& [name, value] : setting) json[name] = value;
  return json;
}

SearchSpace::SearchSpace(const Json& search, const std::string& key) {
  if (!search.is_object()) {
    throw UsageError(fmt::format(
        "\"{}\" must be an object of option names with lists or ranges", key));
  }
  std::set<std::string> seen;
  for (const auto& [names, value] : search.items()) {
    if (is_comment_key(names)) continue;
    dimensions_.push_back(parse_dimension(names, value));
    for (const std::string& name : dimensions_.back().names) {
      if (!seen.insert(name).second) {
        throw UsageError(
            fmt::format("\"{}\" has the option '{}' twice", key, name));
      }
    }
  }
  if (dimensions_.empty()) {
    throw UsageError(
        fmt::format("\"{}\" is empty; name options with their values", key));
  }
}

std::vector<std::string> SearchSpace::names() const {
  std::vector<std::string> names;
  for (const SearchDimension& dimension : dimensions_) {
    names.insert(names.end(), dimension.names.begin(), dimension.names.end());
  }
  return names;
}

double SearchSpace::size() const {
  double size = 1;
  for (const SearchDimension& dimension : dimensions_) {
    if (is_unlisted(dimension)) return std::numeric_limits<double>::infinity();
    size *= static_cast<double>(dimension.choices.size());
  }
  return size;
}

Setting SearchSpace::at(uint64_t index) const {
  std::vector<size_t> places(dimensions_.size());
  for (size_t d = dimensions_.size(); d-- > 0;) {
    const size_t count = dimensions_[d].choices.size();
    places[d] = static_cast<size_t>(index % count);
    index /= count;
  }
  Setting setting;
  for (size_t d = 0; d < dimensions_.size(); ++d) {
    add_choice(dimensions_[d], places[d], setting);
  }
  return setting;
}

std::vector<Setting> SearchSpace::grid() const {
  const auto range =
      std::find_if(dimensions_.begin(), dimensions_.end(), is_unlisted);
  if (range != dimensions_.end()) {
    throw UsageError(
        fmt::format("a grid needs a \"step\" in the range of '{}', or a list; "
                    "or search with the method \"random\" or \"halving\"",
                    range->names[0]));
  }
  if (size() > static_cast<double>(kMostSettings)) {
    throw UsageError(fmt::format(
        "the grid has {:.0f} settings, at most {} are run; shorten the lists, "
        "or search with the method \"random\" or \"halving\"",
        size(), kMostSettings));
  }
  std::vector<Setting> settings;
  for (uint64_t i = 0; i < static_cast<uint64_t>(size()); ++i) {
    settings.push_back(at(i));
  }
  return settings;
}

Setting SearchSpace::draw(uint64_t seed, uint64_t number) const {
  RandomStream random(seed, number);
  Setting setting;
  for (const SearchDimension& dimension : dimensions_) {
    if (is_unlisted(dimension)) {
      setting.emplace_back(dimension.names[0],
                           number_in(dimension.range, random));
    } else {
      const uint64_t choice = random.below(dimension.choices.size());
      add_choice(dimension, static_cast<size_t>(choice), setting);
    }
  }
  return setting;
}

// The first entries of a shuffled list of all settings, of which only those
// that were moved are held.
std::vector<Setting> SearchSpace::sample_of_finite(uint64_t seed,
                                                   uint64_t count) const {
  const auto total = static_cast<uint64_t>(size());
  std::unordered_map<uint64_t, uint64_t> moved;
  const auto entry = [&moved](uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<Setting> settings;
  for (uint64_t i = 0; i < std::min(count, total); ++i) {
    const uint64_t place = i + RandomStream(seed, i).below(total - i);
    const uint64_t chosen = entry(place);
    moved[place] = entry(i);
    settings.push_back(at(chosen));
  }
  return settings;
}

std::vector<Setting> SearchSpace::sample(uint64_t seed, int64_t count) const {
  if (size() <= kLargestExact) {
    return sample_of_finite(seed, static_cast<uint64_t>(count));
  }
  std::vector<Setting> settings;
  std::set<std::string> seen;
  int repeats = 0;
  for (uint64_t number = 0;
       static_cast<int64_t>(settings.size()) < count && repeats < kMostRepeats;
       ++number) {
    Setting setting = draw(seed, number);
    const bool is_new = seen.insert(to_json(setting).dump()).second;
    repeats = is_new ? 0 : repeats + 1;
    if (is_new) settings.push_back(std::move(setting));
  }
  return settings;
}

std::vector<Setting> SearchSpace::sample_around(
    const std::vector<Setting>& around, uint64_t seed, int64_t count) const {
  std::set<std::string> seen;
  for (const Setting& known : around) seen.insert(to_json(known).dump());
  std::vector<Setting> settings;
  int repeats = 0;
  for (uint64_t number = 0;
       static_cast<int64_t>(settings.size()) < count && repeats < kMostRepeats;
       ++number) {
    Setting setting = draw(seed, number);
    const Setting& near = around[number % around.size()];
    RandomStream coins(seed ^ kCoins, number);
    size_t place = 0;
    for (const SearchDimension& dimension : dimensions_) {
      const bool kept = coins.below(2) == 0;
      for (size_t i = 0; i < dimension.names.size(); ++i, ++place) {
        if (kept) setting[place] = near[place];
      }
    }
    const bool is_new = seen.insert(to_json(setting).dump()).second;
    repeats = is_new ? 0 : repeats + 1;
    if (is_new) settings.push_back(std::move(setting));
  }
  return settings;
}

Json SearchSpace::json() const {
  Json json = Json::object();
  for (const SearchDimension& dimension : dimensions_) {
    const std::string key = fmt::format("{}", fmt::join(dimension.names, "+"));
    if (is_unlisted(dimension)) {
      const SearchRange& range = dimension.range;
      json[key] = {{"min", range.min},
                   {"max", range.max},
                   {"scale", range.logarithmic ? "log" : "linear"}};
      continue;
    }
    Json list = Json::array();
    for (const std::vector<Json>& choice : dimension.choices) {
      list.push_back(dimension.names.size() == 1 ? choice[0] : Json(choice));
    }
    json[key] = list;
  }
  return json;
}

}  // namespace ordered_gnn::lab
