#include "lab/reproduce/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/experiment.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kAllExperiments = "all";

// What the experiment has for the options; no cells when that is nothing.
ExperimentPlan draft_plan(const Experiment& experiment,
                          const ReproductionOptions& options) {
  ExperimentPlan plan;
  plan.experiment = &experiment;
  plan.quick = options.quick;
  experiment.plan(options, plan);
  return plan;
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

void require_distinct_choices(const ReproductionOptions& options) {
  require_distinct("seed", options.seeds);
  require_distinct("model", options.models);
}

// The first other experiment that has something for the model; empty when none
// has.
std::string other_experiment_with(const std::string& model,
                                  const Experiment& experiment,
                                  ReproductionOptions options) {
  options.models = {model};
  for (const Experiment& other : experiments()) {
    if (!other.takes_models || &other == &experiment) continue;
    try {
      if (!draft_plan(other, options).cells.empty()) return other.name;
    } catch (const UsageError&) {  // it does not know the model
    }
  }
  return "";
}

// "; 'table2' has gcn, 'systems' has ordered_gnn_max", of those that are there.
std::string found_elsewhere(const Experiment& experiment,
                            const ReproductionOptions& options) {
  std::vector<std::string> found;
  for (const std::string& model : options.models) {
    const std::string other = other_experiment_with(model, experiment, options);
    if (other.empty()) continue;
    found.push_back(fmt::format("'{}' has {}", other, model));
  }
  return found.empty() ? "" : fmt::format("; {}", fmt::join(found, ", "));
}

// Refuses names of no model, which are rows of another experiment alone. A name
// that no experiment has is left to the plan, whose error has the nearest one.
void refuse_rows_of_others(const Experiment& experiment,
                           const ReproductionOptions& options) {
  const std::vector<std::string> models = model_names();
  ReproductionOptions rows = options;
  rows.models.clear();
  for (const std::string& model : options.models) {
    if (std::count(models.begin(), models.end(), model) == 0) {
      rows.models.push_back(model);
    }
  }
  const std::string elsewhere = found_elsewhere(experiment, rows);
  if (elsewhere.empty()) return;
  throw UsageError(fmt::format("the experiment '{}' has nothing for {}{}",
                               experiment.name, fmt::join(rows.models, ", "),
                               elsewhere));
}

// Where other models would have given cells.
void refuse_models(const Experiment& experiment,
                   const ReproductionOptions& options) {
  ReproductionOptions others = options;
  others.models.clear();
  if (options.models.empty() || draft_plan(experiment, others).cells.empty()) {
    return;
  }
  throw UsageError(
      fmt::format("the experiment '{0}' has nothing for {1}{2}; 'ognn "
                  "reproduce {0} --dry-run' lists what it has",
                  experiment.name, fmt::join(options.models, ", "),
                  found_elsewhere(experiment, options)));
}

[[noreturn]] void fail_empty(const Experiment& experiment,
                             const ReproductionOptions& options) {
  refuse_models(experiment, options);
  ReproductionOptions everything = options;
  everything.datasets.clear();
  std::vector<std::string> known;
  for (const PlannedCell& cell : draft_plan(experiment, everything).cells) {
    const std::string& data = cell.options.data.data;
    if (std::find(known.begin(), known.end(), data) == known.end()) {
      known.push_back(data);
    }
  }
  if (known.empty()) {
    throw UsageError(fmt::format("there are no recipes for the experiment '{}'",
                                 experiment.name));
  }
  throw UsageError(fmt::format(
      "the experiment '{}' has no dataset {}; it has {}", experiment.name,
      fmt::join(options.datasets, ", "), fmt::join(known, ", ")));
}

// What was asked for goes before what the experiment does by itself.
void choose_runs(const ReproductionOptions& options, bool one_run,
                 PlannedCell& cell) {
  cell.options.data.data_root = options.data_root;
  if (!options.splits.empty() && !one_run) cell.splits = options.splits;
  if (!options.seeds.empty()) cell.seeds = options.seeds;
  if (one_run) cell.seeds.resize(1);
  if (!options.quick) return;
  if (options.seeds.empty()) cell.seeds = {cell.options.train.seed};
  if (cell.splits == "all") cell.most_splits = kQuickSplits;
  cell.options.train.epochs = std::min(cell.options.train.epochs, kQuickEpochs);
}

void leave_out_compared_rows(ExperimentPlan& plan) {
  std::vector<PlannedCell>& cells = plan.cells;
  cells.erase(std::remove_if(
                  cells.begin(), cells.end(),
                  [](const PlannedCell& cell) { return cell.against.empty(); }),
              cells.end());
  if (!cells.empty()) return;
  throw UsageError(
      fmt::format("the experiment '{}' has no row beside those that others are "
                  "compared with; leave out --alone",
                  plan.experiment->name));
}

ExperimentPlan finish_plan(ExperimentPlan plan,
                           const ReproductionOptions& options) {
  if (options.alone) leave_out_compared_rows(plan);
  for (PlannedCell& cell : plan.cells) {
    choose_runs(options, plan.experiment->runs.one_run, cell);
  }
  return plan;
}

}  // namespace

std::vector<ExperimentPlan> plan_experiments(
    const std::string& name, const ReproductionOptions& options) {
  if (name != kAllExperiments) {
    std::vector<std::string> known = experiment_names();
    known.emplace_back(kAllExperiments);
    core::parse_name("experiment", name, known);
    return {plan_experiment(name, options)};
  }
  require_distinct_choices(options);
  if (options.alone) throw UsageError("--alone is for a single experiment");
  std::vector<ExperimentPlan> plans;
  for (const Experiment& experiment : experiments()) {
    ExperimentPlan plan = draft_plan(experiment, options);
    if (plan.cells.empty()) continue;
    plans.push_back(finish_plan(std::move(plan), options));
  }
  if (plans.empty()) {
    throw UsageError(fmt::format("no experiment has a recipe for {}",
                                 fmt::join(options.datasets, ", ")));
  }
  return plans;
}

ExperimentPlan plan_experiment(const std::string& name,
                               const ReproductionOptions& options) {
  const Experiment& experiment = find_experiment(name);
  if (!options.models.empty() && !experiment.takes_models) {
    throw UsageError(fmt::format(
        "the experiment '{}' fixes its models; leave out --models", name));
  }
  require_distinct_choices(options);
  if (options.alone && options.models.empty()) {
    throw UsageError("--alone needs --models, the rows to run without others");
  }
  ExperimentPlan plan;
  try {
    plan = draft_plan(experiment, options);
  } catch (const UsageError&) {
    refuse_rows_of_others(experiment, options);
    throw;
  }
  if (plan.cells.empty()) fail_empty(experiment, options);
  return finish_plan(std::move(plan), options);
}

}  // namespace ordered_gnn::lab
