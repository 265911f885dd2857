#include "lab/reproduce/experiments/experiments.h"

#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/cell_runs.h"
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

// A table of the paper that has other systems, too.
ExperimentReport systems_of_paper(const char* table) {
  ExperimentReport report;
  report.ranks_rows = true;
  report.published = table;
  report.markdown = &ranked_markdown;
  return report;
}

// Systems that are ranked for other programs alone.
ExperimentReport tuned_systems() {
  ExperimentReport report;
  report.ranks_rows = true;
  return report;
}

ExperimentReport steps_of_ladder() {
  ExperimentReport report;
  report.column_heading = "setting";
  return report;
}

std::vector<Experiment> make_experiments() {
  const bool models = true, fixed = false;
  return {
      {"table2", models, &plan_table2, cell_runs(), systems_of_paper("table2")},
      {"tuned", models, &plan_tuned, cell_runs(), tuned_systems()},
      {"ensembles", models, &plan_ensembles, ensemble_runs(),
       ExperimentReport()},
      {"systems", models, &plan_systems, cell_runs(), other_systems_report()},
      {"ablation", fixed, &plan_ablation, cell_runs(), steps_of_ladder()},
      {"depth", models, &plan_depth, cell_runs(), depth_report()},
      {"depth-tuned", fixed, &plan_depth_tuned, cell_runs(), depth_report()},
      {"layers64", models, &plan_layers64, cell_runs(),
       systems_of_paper("layers64")},
      {"large", models, &plan_large, cell_runs(), systems_of_paper("large")},
      {"modern", models, &plan_modern, cell_runs(), modern_report()},
      {"modern-ablation", fixed, &plan_modern_ablation, cell_runs(),
       modern_ablation_report()},
      {"gates", fixed, &plan_gates, gate_runs(), gates_report()},
      {"runtime", fixed, &plan_runtime, timed_runs(), runtime_report()},
  };
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> table = make_experiments();
  return table;
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& entry : experiments()) names.emplace_back(entry.name);
  return names;
}

const Experiment& find_experiment(const std::string& name) {
  return experiments()[core::parse_name("experiment", name,
                                        experiment_names())];
}

const ExperimentReport& report_of(const ExperimentResult& result) {
  return find_experiment(result.name).report;
}

}  // namespace ordered_gnn::lab
