#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lab/compare/comparison.h"
#include "lab/runs/named_system.h"
#include "lab/runs/recipe.h"
#include "lab/runs/recipes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

template <typename T>
void require_distinct_values(const char* what, const std::vector<T>& values) {
  std::set<T> seen;
  for (const T& value : values) {
    if (!seen.insert(value).second) {
      throw UsageError(fmt::format("the {} {} is given twice", what, value));
    }
  }
}

void check(const ComparisonOptions& options) {
  for (const std::string& name : options.models) parse_system(name);
  require_distinct_values("model", options.models);
  require_distinct_values("seed", options.seeds);
  if (options.values.value("data", "").empty()) {
    throw UsageError(
        "no dataset given; add --data NAME or PATH ('ognn data list' shows the "
        "names)");
  }
}

// The first of these built-in recipes that is there; empty: none.
std::string first_recipe(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string recipe = find_recipe(name);
    if (!recipe.empty()) return recipe;
  }
  return "";
}

// Folders of recipes that go with a folder of search spaces: "modern/directed"
// and "modern" for "search/modern/directed".
std::vector<std::string> start_folders(const std::string& spaces) {
  std::vector<std::string> folders;
  std::filesystem::path folder =
      std::filesystem::path(spaces).lexically_relative("search");
  for (; !folder.empty(); folder = folder.parent_path()) {
    folders.push_back(folder.generic_string());
  }
  return folders;
}

// What a system starts from on a dataset: its own recipe, or its model's, which
// for the model of the paper's table are those of the table.
std::string start_of(const NamedSystem& system,
                     const ComparisonOptions& options) {
  const std::string data = options.values.at("data").get<std::string>();
  std::vector<std::string> names;
  for (const std::string& folder : start_folders(options.spaces)) {
    names.push_back(fmt::format("{}/{}/{}", folder, system.name, data));
  }
  names.push_back("systems/" + system.name + "/" + data);
  names.push_back("systems/" + system.model + "/" + data);
  const std::string own = first_recipe(names);
  if (!own.empty()) return own;
  const std::string of_table = first_recipe({"table2/" + data});
  if (of_table.empty()) return "";
  const RunOptions paper = run_options_from_json(read_recipe(of_table));
  return paper.model == system.model ? of_table : "";
}

// Systems of a folder of search spaces, for a message.
std::string spaces_text(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : recipe_names_in({}, folder)) {
    const std::string system = name.substr(folder.size() + 1);
    const std::vector<std::string> known = system_names();
    if (std::count(known.begin(), known.end(), system) > 0) {
      names.push_back(system);
    }
  }
  return names.empty() ? fmt::format("there is no folder {}", folder)
                       : fmt::format("it has {}", fmt::join(names, ", "));
}

std::string space_of(const NamedSystem& system,
                     const ComparisonOptions& options) {
  const std::string& first = options.spaces;
  if (options.spaces_alone) {
    const std::string space = first_recipe({first + "/" + system.name});
    if (!space.empty()) return space;
    throw UsageError(fmt::format(
        "there is no search space {}/{}; {}, and other spaces have other "
        "rules: leave the model out, or compare without --search",
        first, system.name, spaces_text(first)));
  }
  return first_recipe({first + "/" + system.name, first + "/" + system.model,
                       "search/systems/" + system.name,
                       "search/systems/" + system.model, "search/systems/any"});
}

void require_two_models(const std::vector<std::string>& models) {
  if (models.size() >= 2) return;
  throw UsageError(
      "a comparison needs at least two models; name them as in --models "
      "ordered_gnn,gcn,mlp ('ognn models' lists them; MODEL_correct_smooth "
      "and ordered_gnn_AGGREGATOR count too)");
}

// What the caller fixes is not searched: the dimension goes, with the options
// that are tied to it.
SearchSpace space_without(const SearchSpace& space, const Json& values) {
  Json kept = space.json();
  for (const SearchDimension& dimension : space.dimensions()) {
    std::string key;
    bool fixed = false;
    for (const std::string& name : dimension.names) {
      key += (key.empty() ? "" : "+") + name;
      fixed |= values.contains(name);
    }
    if (fixed) kept.erase(key);
  }
  return SearchSpace(kept);
}

ModelPlan plan_model(const NamedSystem& system,
                     const ComparisonOptions& options) {
  ModelPlan plan;
  plan.model = system.name;
  plan.start = start_of(system, options);
  plan.spec = read_sweep(space_of(system, options), plan.start);
  SweepSpec& spec = plan.spec;
  Json values = options.values;
  // A row is the system it is called after, whatever its recipe says.
  values["model"] = system.model;
  values.update(system.options);
  values["splits"] = options.splits;
  if (!options.seeds.empty()) values["seed"] = options.seeds.front();
  spec.space = space_without(spec.space, values);
  if (options.trials == 0) {
    // The recipe as it is, without the epochs of the search.
    spec.layers = {plan.start.empty() ? Json::object()
                                      : read_recipe(plan.start)};
  }
  override_base(values, spec);
  spec.trials = options.trials - 1;
  spec.seeds = {spec.base.train.seed};
  validate(spec.base);
  return plan;
}

// The same splits and the same metric for all: recipes name those of the
// benchmark, models without one would take what the files come with.
Json with_common_choices(const ComparisonOptions& options) {
  Json values = options.values;
  for (const char* choice : {"split-set", "metric"}) {
    const bool chosen =
        values.contains(choice) ||
        (choice == std::string("split-set") && values.contains("split-file"));
    for (const std::string& name : options.models) {
      if (chosen || values.contains(choice)) break;
      const std::string start = start_of(parse_system(name), options);
      const Json recipe = start.empty() ? Json::object() : read_recipe(start);
      if (recipe.contains(choice)) values[choice] = recipe[choice];
    }
  }
  return values;
}

}  // namespace

std::vector<ModelPlan> plan_comparison(const ComparisonOptions& options) {
  // Which models come first: a wrong name is told before a missing one.
  for (const std::string& name : options.models) parse_system(name);
  require_two_models(options.models);
  return plan_models(options);
}

std::vector<ModelPlan> plan_models(const ComparisonOptions& asked) {
  check(asked);
  ComparisonOptions options = asked;
  options.values = with_common_choices(asked);
  std::vector<ModelPlan> plans;
  for (const std::string& model : options.models) {
    try {
      plans.push_back(plan_model(parse_system(model), options));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", model, error.what()));
    }
  }
  return plans;
}

}  // namespace ordered_gnn::lab
