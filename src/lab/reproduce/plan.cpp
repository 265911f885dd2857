#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/names.h"
#include "lab/reproduce/experiments.h"
#include "lab/reproduce/reproduction.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

struct ExperimentEntry {
  const char* name;
  void (*plan)(const ReproductionOptions&, ExperimentPlan&);
  bool takes_models;
};

constexpr std::array<ExperimentEntry, 10> kExperiments = {
    {{"table2", &plan_table2, true},
     {"tuned", &plan_tuned, true},
     {"systems", &plan_systems, true},
     {"ablation", &plan_ablation, false},
     {"depth", &plan_depth, true},
     {"depth-tuned", &plan_depth_tuned, false},
     {"layers64", &plan_layers64, true},
     {"large", &plan_large, true},
     {"gates", &plan_gates, false},
     {"runtime", &plan_runtime, false}}};

const ExperimentEntry& find_experiment(const std::string& name) {
  std::vector<std::string> known = experiment_names();
  return kExperiments[core::parse_name("experiment", name, known)];
}

bool has_any_cell(const std::string& name, const ReproductionOptions& options) {
  ExperimentPlan plan;
  find_experiment(name).plan(options, plan);
  return !plan.cells.empty();
}

// A run that is asked for twice would count twice.
template <typename T>
void require_distinct(const char* what, std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) {
    throw UsageError(fmt::format("the {} {} is given twice", what, *twice));
  }
}

// The first other experiment that has something for the model; empty when none
// has.
std::string other_experiment_with(const std::string& model,
                                  const std::string& name,
                                  ReproductionOptions options) {
  options.models = {model};
  for (const ExperimentEntry& entry : kExperiments) {
    if (!entry.takes_models || entry.name == name) continue;
    try {
      if (has_any_cell(entry.name, options)) return entry.name;
    } catch (const UsageError&) {  // it does not know the model
    }
  }
  return "";
}

// "; 'table2' has gcn, 'systems' has ordered_gnn_max", of those that are there.
std::string found_elsewhere(const std::string& name,
                            const ReproductionOptions& options) {
  std::vector<std::string> found;
  for (const std::string& model : options.models) {
    const std::string other = other_experiment_with(model, name, options);
    if (other.empty()) continue;
    found.push_back(fmt::format("'{}' has {}", other, model));
  }
  return found.empty() ? "" : fmt::format("; {}", fmt::join(found, ", "));
}

// Refuses names of no model, which are rows of another experiment alone. A name
// that no experiment has is left to the plan, whose error has the nearest one.
void refuse_rows_of_others(const std::string& name,
                           const ReproductionOptions& options) {
  const std::vector<std::string> models = model_names();
  ReproductionOptions rows = options;
  rows.models.clear();
  for (const std::string& model : options.models) {
    if (std::count(models.begin(), models.end(), model) == 0) {
      rows.models.push_back(model);
    }
  }
  const std::string elsewhere = found_elsewhere(name, rows);
  if (elsewhere.empty()) return;
  throw UsageError(fmt::format("the experiment '{}' has nothing for {}{}", name,
                               fmt::join(rows.models, ", "), elsewhere));
}

// Where other models would have given cells.
void refuse_models(const std::string& name,
                   const ReproductionOptions& options) {
  ReproductionOptions others = options;
  others.models.clear();
  if (options.models.empty() || !has_any_cell(name, others)) return;
  throw UsageError(fmt::format(
      "the experiment '{0}' has nothing for {1}{2}; 'ognn "
      "reproduce {0} --dry-run' lists what it has",
      name, fmt::join(options.models, ", "), found_elsewhere(name, options)));
}

[[noreturn]] void fail_empty(const std::string& name,
                             const ReproductionOptions& options) {
  refuse_models(name, options);
  ReproductionOptions everything = options;
  everything.datasets.clear();
  ExperimentPlan plan;
  find_experiment(name).plan(everything, plan);
  std::vector<std::string> known;
  for (const PlannedCell& cell : plan.cells) {
    const std::string& data = cell.options.data.data;
    if (std::find(known.begin(), known.end(), data) == known.end()) {
      known.push_back(data);
    }
  }
  if (known.empty()) {
    throw UsageError(
        fmt::format("there are no recipes for the experiment '{}'", name));
  }
  throw UsageError(
      fmt::format("the experiment '{}' has no dataset {}; it has {}", name,
                  fmt::join(options.datasets, ", "), fmt::join(known, ", ")));
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const ExperimentEntry& entry : kExperiments) names.push_back(entry.name);
  return names;
}

std::vector<std::string> resolve_experiments(
    const std::string& name, const ReproductionOptions& options) {
  if (name != "all") {
    std::vector<std::string> known = experiment_names();
    known.emplace_back("all");
    const size_t place = core::parse_name("experiment", name, known);
    if (!options.models.empty() && !kExperiments[place].takes_models) {
      throw UsageError(fmt::format(
          "the experiment '{}' fixes its models; leave out --models", name));
    }
    return {name};
  }
  std::vector<std::string> names;
  for (const ExperimentEntry& entry : kExperiments) {
    if (has_any_cell(entry.name, options)) names.push_back(entry.name);
  }
  if (names.empty()) {
    throw UsageError(fmt::format("no experiment has a recipe for {}",
                                 fmt::join(options.datasets, ", ")));
  }
  return names;
}

ExperimentPlan plan_experiment(const std::string& name,
                               const ReproductionOptions& options) {
  const ExperimentEntry& entry = find_experiment(name);
  require_distinct("seed", options.seeds);
  require_distinct("model", options.models);
  ReproductionOptions fitting = options;
  if (!entry.takes_models) fitting.models.clear();
  ExperimentPlan plan;
  plan.name = name;
  try {
    entry.plan(fitting, plan);
  } catch (const UsageError&) {
    refuse_rows_of_others(name, fitting);
    throw;
  }
  if (plan.cells.empty()) fail_empty(name, fitting);
  for (PlannedCell& cell : plan.cells) {
    cell.options.data.data_root = options.data_root;
    if (!options.splits.empty() && name != "gates") {
      cell.splits = options.splits;
    }
    if (!options.seeds.empty()) cell.seeds = options.seeds;
    if (name == "gates") cell.seeds.resize(1);  // one model is looked at
    if (options.quick && options.seeds.empty()) {
      cell.seeds = {cell.options.train.seed};
    }
    if (options.quick) {
      cell.options.train.epochs =
          std::min(cell.options.train.epochs, kQuickEpochs);
    }
  }
  if (!options.splits.empty()) {
    plan.notes.push_back(fmt::format("Splits {} only.", options.splits));
  }
  return plan;
}

}  // namespace ordered_gnn::lab
