#include "ordered_gnn/experiment/sweep_spec.h"

#include <algorithm>
#include <set>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/experiment/recipe.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kMethodNames = {"grid", "random", "halving"};
const std::vector<std::string> kBudgetNames = {"splits", "epochs"};

// Keys of a sweep file that are no single values.
const std::vector<std::string> kParts = {"base", "fixed", "search", "seeds"};

void refuse_unknown(const Json& values) {
  std::vector<std::string> known = option_names(sweep_option_table());
  known.insert(known.end(), kParts.begin(), kParts.end());
  for (const auto& [key, value] : values.items()) {
    if (key.rfind("//", 0) != 0) parse_name("key", key, known);
  }
}

void check_fixed(const Json& fixed, const SweepSpec& spec) {
  if (!fixed.is_object()) {
    throw UsageError("\"fixed\" must be an object of option names and values");
  }
  const std::vector<std::string> searched = spec.space.names();
  for (auto [name, value] : fixed.items()) {
    std::string spelled = name;
    std::replace(spelled.begin(), spelled.end(), '_', '-');
    if (std::count(searched.begin(), searched.end(), spelled) > 0) {
      throw UsageError(fmt::format(
          "option '{}' is both fixed and searched; remove one of the two",
          spelled));
    }
  }
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

void fill(const Json& values, const std::filesystem::path& folder,
          SweepSpec& spec) {
  refuse_unknown(values);
  Json base = Json::object();
  if (values.contains("base")) {
    if (!values["base"].is_string()) {
      throw UsageError("\"base\" must be the path of a recipe file");
    }
    base = read_recipe(folder / values["base"].get<std::string>());
  }
  if (!values.contains("search")) {
    throw UsageError("has no \"search\": nothing to choose from");
  }
  spec.space = SearchSpace(values["search"]);
  const Json fixed = values.value("fixed", Json::object());
  check_fixed(fixed, spec);
  spec.base = run_options_from_layers({base, fixed});
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
  return parse_enum<SearchMethod>("search method", name, kMethodNames);
}
std::string to_string(Budget budget) {
  return kBudgetNames[static_cast<size_t>(budget)];
}
Budget parse_budget(const std::string& name) {
  return parse_enum<Budget>("budget", name, kBudgetNames);
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
              "halving: splits or epochs of the first rung"),
          1, 1e9),
  };
  return table;
}

SweepSpec read_sweep(const std::filesystem::path& file) {
  const Json values = read_json_object(
      file, "must hold one JSON object with \"search\" and other keys");
  SweepSpec spec;
  spec.file = file.string();
  try {
    fill(values, file.parent_path(), spec);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return spec;
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
  const std::vector<std::string> searched = spec.space.names();
  if (spec.method == SearchMethod::halving && spec.budget == Budget::epochs &&
      std::count(searched.begin(), searched.end(), "epochs") > 0) {
    throw UsageError(
        "'epochs' is searched and is the \"budget\" too; use the budget "
        "\"splits\"");
  }
  if (spec.trials == 0) return spec.space.grid();
  return spec.space.sample(static_cast<uint64_t>(spec.search_seed),
                           spec.trials);
}

std::vector<int64_t> seeds_of(const SweepSpec& spec) {
  return spec.seeds.empty() ? std::vector<int64_t>{spec.base.train.seed}
                            : spec.seeds;
}

Json sweep_identity(const SweepSpec& spec, const std::string& fingerprint) {
  Json identity = run_identity(spec.base, fingerprint);
  for (const std::string& name : spec.space.names()) identity.erase(name);
  identity["splits"] = spec.base.splits;
  identity["device"] = spec.base.device;
  identity["math"] = spec.base.math;
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
  if (!searched.contains("seed")) {
    identity.erase("seed");
    identity["seeds"] = seeds_of(spec);
  }
  return identity;
}

}  // namespace ordered_gnn
