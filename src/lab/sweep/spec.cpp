#include "lab/sweep/spec.h"

#include <algorithm>
#include <set>

#include "core/names.h"
#include "lab/runs/recipe.h"
#include "lab/sweep/starts.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

const std::vector<std::string> kMethodNames = {"grid", "random", "halving"};
const std::vector<std::string> kBudgetNames = {"splits", "epochs"};

// Keys of a sweep file that are no single values.
const std::vector<std::string> kParts = {"fixed", "search", "each", "starts",
                                         "seeds"};

std::vector<std::string> known_keys() {
  std::vector<std::string> known = option_names(sweep_option_table());
  known.insert(known.end(), kParts.begin(), kParts.end());
  return known;
}

void refuse_unknown(const RecipeDocument& sweep) {
  std::vector<std::string> known = known_keys();
  known.push_back("base");
  for (const auto& [key, value] : sweep.values.items()) {
    if (std::count(known.begin(), known.end(), key) > 0) continue;
    throw UsageError(
        fmt::format("{}: {}", to_string(sweep),
                    core::unknown_name_message("key", key, known)));
  }
}

// A recipe has none of the keys of a sweep file.
bool is_sweep(const RecipeDocument& document) {
  const std::vector<std::string> keys = known_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return document.values.contains(key);
  });
}

// Refuses options that two parts of a sweep would set.
void refuse_both(const Json& values, const SearchSpace& taken, const char* here,
                 const char* there) {
  const std::vector<std::string> names = taken.names();
  for (const auto& [name, value] : values.items()) {
    std::string spelled = name;
    std::replace(spelled.begin(), spelled.end(), '_', '-');
    if (std::count(names.begin(), names.end(), spelled) > 0) {
      throw UsageError(
          fmt::format("option '{}' is both {} and {}; remove one of the two",
                      spelled, here, there));
    }
  }
}

SearchSpace parse_each(const Json& each, const SearchSpace& searched) {
  SearchSpace space(each, "each");
  space.grid();  // no ranges, and not too many
  for (const std::string& name : space.names()) {
    refuse_both(Json{{name, 0}}, searched, "in \"each\"", "searched");
    if (name == "seed") throw UsageError("list seeds in \"seeds\"");
  }
  return space;
}

std::vector<int64_t> parse_seeds(const Json& list, const SearchSpace& space) {
  const std::vector<std::string> searched = space.names();
  if (std::count(searched.begin(), searched.end(), "seed") > 0) {
    throw UsageError("\"seeds\" and a search of 'seed' exclude each other");
  }
  if (!list.is_array() || list.empty()) {
    throw UsageError("\"seeds\" must be a list of at least one number");
  }
  std::vector<int64_t> seeds;
  for (const Json& seed : list) {
    RunOptions checked;
    apply_json(run_option_table(), Json{{"seed", seed}}, checked);
    seeds.push_back(checked.train.seed);
  }
  if (std::set<int64_t>(seeds.begin(), seeds.end()).size() != seeds.size()) {
    throw UsageError("\"seeds\" has a seed twice");
  }
  return seeds;
}

void put_first(const Setting& first, std::vector<Setting>& settings) {
  settings.erase(std::remove(settings.begin(), settings.end(), first),
                 settings.end());
  settings.insert(settings.begin(), first);
}

void fill(const Json& values, const Json& recipe, SweepSpec& spec) {
  if (!values.contains("search")) {
    throw UsageError("has no \"search\": nothing to choose from");
  }
  spec.space = SearchSpace(values["search"]);
  if (values.contains("each")) {
    spec.each = parse_each(values["each"], spec.space);
  }
  const Json fixed = values.value("fixed", Json::object());
  if (!fixed.is_object()) {
    throw UsageError("\"fixed\" must be an object of option names and values");
  }
  refuse_both(fixed, spec.space, "fixed", "searched");
  spec.layers = {recipe};
  override_base(fixed, spec);
  if (values.contains("starts")) {
    spec.starts = parse_starts(values["starts"], spec.space);
  }
  if (values.contains("seeds")) {
    spec.seeds = parse_seeds(values["seeds"], spec.space);
  }
  Json single = values;
  for (const std::string& part : kParts) single.erase(part);
  apply_json(sweep_option_table(), single, spec);
}

}  // namespace

std::string to_string(SearchMethod method) {
  return kMethodNames[static_cast<size_t>(method)];
}
SearchMethod parse_search_method(const std::string& name) {
  return core::parse_enum<SearchMethod>("search method", name, kMethodNames);
}
std::string to_string(Budget budget) {
  return kBudgetNames[static_cast<size_t>(budget)];
}
Budget parse_budget(const std::string& name) {
  return core::parse_enum<Budget>("budget", name, kBudgetNames);
}

const std::vector<Option<SweepSpec>>& sweep_option_table() {
  using O = SweepSpec;
  const char* const kGroup = "Search";
  static const std::vector<Option<O>> table = {
      enum_option<O>(
          "method", kGroup, [](O & o) -> auto& { return o.method; },
          parse_search_method, kMethodNames,
          "every setting, some at random, or many that compete"),
      in_range(option<O>(
                   "trials", kGroup, [](O & o) -> auto& { return o.trials; },
                   "settings to draw at random; 0 = all (halving)"),
               0, static_cast<double>(kMostSettings)),
      option<O>(
          "try-base", kGroup, [](O & o) -> auto& { return o.try_base; },
          "trial 0 is the setting of the base; halving keeps it to the end"),
      in_range(option<O>(
                   "search-seed", kGroup,
                   [](O & o) -> auto& { return o.search_seed; },
                   "fixes which settings are drawn"),
               0, 9007199254740992.0),
      in_range(option<O>(
                   "eta", kGroup, [](O & o) -> auto& { return o.eta; },
                   "halving: the best one of this many goes on"),
               2, 1000),
      enum_option<O>(
          "budget", kGroup, [](O & o) -> auto& { return o.budget; },
          parse_budget, kBudgetNames,
          "halving: whether rungs have more splits or more epochs"),
      in_range(
          option<O>(
              "min-budget", kGroup, [](O & o) -> auto& { return o.min_budget; },
              "halving: splits or epochs of the first rung; all splits where "
              "there are fewer"),
          1, 1e9),
  };
  return table;
}

SweepSpec read_sweep(const std::filesystem::path& file,
                     const std::filesystem::path& base) {
  RecipeChain chain = read_chain(file);
  if (!chain.missing.empty() && base.empty()) throw Error(chain.missing);
  std::vector<RecipeDocument>& sweeps = chain.documents;
  // The one that was named is a sweep file, whatever it has.
  const auto end = std::find_if_not(sweeps.begin() + 1, sweeps.end(), is_sweep);
  const std::vector<RecipeDocument> recipes(end, sweeps.end());
  sweeps.erase(end, sweeps.end());
  SweepSpec spec;
  spec.file = file.string();
  spec.notes = chain.notes;
  const Json recipe =
      base.empty() ? combined_recipe(recipes) : read_recipe(base);
  for (const RecipeDocument& sweep : sweeps) refuse_unknown(sweep);
  try {
    fill(combined(sweeps), recipe, spec);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return spec;
}

void override_base(const Json& values, SweepSpec& spec) {
  refuse_both(values, spec.each, "fixed", "in \"each\"");
  spec.layers.push_back(values);
  spec.base = run_options_from_layers(spec.layers);
}

std::vector<Setting> variants_of(const SweepSpec& spec) {
  return spec.each.dimensions().empty() ? std::vector<Setting>{{}}
                                        : spec.each.grid();
}

std::vector<Setting> settings_of(const SweepSpec& spec) {
  const bool draws = spec.method != SearchMethod::grid;
  if (!draws && spec.trials > 0) {
    throw UsageError(
        "\"trials\" goes with the methods \"random\" and \"halving\"; a grid "
        "tries every setting");
  }
  if (spec.method == SearchMethod::random && spec.trials == 0) {
    throw UsageError("the method \"random\" needs \"trials\", at least 1");
  }
  if (spec.method == SearchMethod::halving && spec.budget == Budget::epochs) {
    std::vector<std::string> varied = spec.space.names();
    for (const std::string& name : spec.each.names()) varied.push_back(name);
    if (std::count(varied.begin(), varied.end(), "epochs") > 0) {
      throw UsageError(
          "'epochs' is searched and is the \"budget\" too; use the budget "
          "\"splits\"");
    }
  }
  if (spec.trials == 0 && !spec.starts.empty()) {
    throw UsageError(
        "\"starts\" needs \"trials\", at least 1, and the method \"random\" or "
        "\"halving\": a grid tries every setting anyway");
  }
  std::vector<Setting> settings =
      spec.trials == 0 ? spec.space.grid()
      : spec.starts.empty()
          ? spec.space.sample(static_cast<uint64_t>(spec.search_seed),
                              spec.trials)
          : sample_from_starts(spec);
  if (spec.try_base) put_first(base_setting(spec), settings);
  return settings;
}

std::vector<int64_t> seeds_of(const SweepSpec& spec) {
  return spec.seeds.empty() ? std::vector<int64_t>{spec.base.train.seed}
                            : spec.seeds;
}

Json sweep_identity(const SweepSpec& spec, const std::string& fingerprint) {
  Json identity = run_identity(spec.base, fingerprint);
  for (const std::string& name : spec.space.names()) identity.erase(name);
  for (const std::string& name : spec.each.names()) identity.erase(name);
  identity["splits"] = spec.base.splits;
  identity["device"] = to_string(spec.base.execution.device);
  identity["math"] = to_string(spec.base.execution.math);
  identity["method"] = to_string(spec.method);
  if (spec.method != SearchMethod::grid) {
    identity["search-seed"] = spec.search_seed;
  }
  if (spec.method == SearchMethod::halving) {
    identity["eta"] = spec.eta;
    identity["budget"] = to_string(spec.budget);
    identity["min-budget"] = spec.min_budget;
  }
  const Json searched = spec.space.json();
  for (const auto& [name, values] : searched.items()) {
    identity["search " + name] = values;
  }
  if (spec.try_base) identity["try-base"] = to_json(base_setting(spec));
  if (!spec.starts.empty()) {
    identity["starts"] = Json::array();
    for (const Setting& start : start_settings(spec)) {
      identity["starts"].push_back(to_json(start));
    }
  }
  const Json each = spec.each.json();
  for (const auto& [name, values] : each.items()) {
    identity["each " + name] = values;
  }
  if (!searched.contains("seed")) {
    identity.erase("seed");
    identity["seeds"] = seeds_of(spec);
  }
  return identity;
}

}  // namespace ordered_gnn::lab
