#include "lab/reproduce/reproduction.h"

#include "core/io/temporary_file.h"
#include "lab/reproduce/experiment.h"
#include "lab/reproduce/report.h"
#include "lab/runs/machine.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// Where tables are made of runs of another machine, it is the one that they
// named before.
std::string machine_of_runs(const BatchOptions& batch,
                            const std::filesystem::path& folder,
                            const std::string& experiment) {
  if (!missing_device(batch.execution).empty()) {
    for (const ExperimentResult& before : read_results(folder).experiments) {
      if (before.name == experiment) return before.machine;
    }
  }
  return machine_text(to_string(batch.execution.device));
}

}  // namespace

Reproduction::Reproduction(std::filesystem::path folder, BatchOptions batch,
                           ReproductionHooks hooks)
    : folder_(std::move(folder), ExistingOutput::resume, Json::object(),
              Json{{"command", batch.command}},
              {"reproduce.json", "ordered_gnn reproduction 1", "reproduction"}),
      batch_(std::move(batch)),
      hooks_(std::move(hooks)),
      log_(folder_.path()) {}

ExperimentResult Reproduction::run(const ExperimentPlan& plan) {
  const std::string name = plan.experiment->name;
  ExperimentResult result;
  static_cast<ResultOrigin&>(result) = origin_of(batch_);
  result.machine = machine_of_runs(batch_, folder_.path(), name);
  result.name = name;
  result.title = plan.title;
  result.quick = plan.quick;
  result.notes = plan.notes;
  result.broken = log_.broken();
  core::remove_leftovers(folder_.path() / name);
  const RunContext context = {folder_.path(), batch_, hooks_, log_, datasets_};
  plan.experiment->runs.run(plan, context, result);
  write_experiment(result, folder_.path());
  return result;
}

std::vector<CellForecast> forecast_experiment(
    const ExperimentPlan& plan, const std::filesystem::path& folder,
    const BatchOptions& batch) {
  return plan.experiment->runs.forecast(plan, folder, batch);
}

}  // namespace ordered_gnn::lab
