#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/reproduce/cell_runs.h"
#include "lab/reproduce/cells.h"
#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/systems_plan.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/ensemble.h"

namespace ordered_gnn::lab {
namespace {

constexpr int64_t kMembers = 5;

// What the models of a split's seeds say together, scored as one model is. Its
// epochs and seconds are those of all of them.
CellRun ask_together(const std::vector<EnsembleMember>& members,
                     const std::vector<CellRun>& runs,
                     const NodeDataset& data) {
  CellRun together = runs.front();
  for (size_t i = 1; i < runs.size(); ++i) {
    together.epochs += runs[i].epochs;
    together.best_epoch = std::max(together.best_epoch, runs[i].best_epoch);
    together.seconds += runs[i].seconds;
  }
  const Metric metric = members.front().trained.options.train.metric;
  const Split& split = data.splits.at(static_cast<size_t>(together.split));
  const at::Tensor logits = predict_together(members, data).logits;
  const auto percent = [&](const at::Tensor& nodes) {
    return 100 * select(score_nodes(logits, data.labels, nodes), metric);
  };
  together.score = percent(split.test);
  together.validation = percent(split.val);
  return together;
}

// The cell's runs by the split, each with the file of its model.
using KeptRuns =
    std::map<int64_t, std::vector<std::pair<CellRun, std::filesystem::path>>>;

KeptRuns kept_runs(const ReadyCell& ready, const CellResult& cell,
                   const std::filesystem::path& models) {
  KeptRuns kept;
  for (size_t i = 0; i < cell.runs.size(); ++i) {
    kept[cell.runs[i].split].emplace_back(
        cell.runs[i], model_folder(models, ready, i) / "model.safetensors");
  }
  return kept;
}

// Makes one run of the runs of every split.
void put_together(const PlannedCell& planned, const RunContext& context,
                  const std::filesystem::path& models, CellResult& cell) {
  const ReadyCell ready = make_ready(planned, context.batch, context.datasets);
  RunOptions options = ready.runs.at(0).options;
  const NodeDataset& data = context.datasets.get(options);
  std::vector<CellRun> together;
  size_t most = 0;
  for (const auto& [split, kept] : kept_runs(ready, cell, models)) {
    if (context.hooks.on_step) {
      context.hooks.on_step(fmt::format("ensembles: {}, {}, split {}",
                                        cell.column, cell.row, split));
    }
    std::vector<EnsembleMember> members;
    std::vector<CellRun> runs;
    for (const auto& [run, file] : kept) {
      Trained trained = load_trained(file);
      PredictionOptions asked = prediction_options(trained);
      members.push_back({std::move(trained), asked});
      runs.push_back(run);
    }
    most = std::max(most, members.size());
    together.push_back(ask_together(members, runs, data));
  }
  cell.runs = std::move(together);
  cell.parameters *= static_cast<int64_t>(most);
}

void run_ensembles(const ExperimentPlan& plan, const RunContext& context,
                   ExperimentResult& result) {
  const std::filesystem::path models = run_kept_cells(plan, context, result);
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    CellResult& cell = result.cells[i];
    if (!plan.cells[i].together || cell.status != CellStatus::done) continue;
    try {
      put_together(plan.cells[i], context, models, cell);
    } catch (const Error& error) {
      mark_models_unable(plan, context, error.what(), cell);
    }
  }
}

}  // namespace

void plan_ensembles(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Ensembles: models of several seeds answer together";
  plan.notes.push_back(fmt::format(
      "The settings of recipes/tuned, models of {} seeds each. A row by itself "
      "has the mean score of the models; \"together\" scores the mean of their "
      "probabilities, once for every split, and is compared with that mean. "
      "Both are made of the same models. The paper's numbers are of single "
      "models.",
      kMembers));
  SystemsPlan systems("tuned", "table2", table2_systems(), options, plan);
  systems.add_wanted();
  const std::vector<PlannedCell> alone = std::move(plan.cells);
  plan.cells.clear();
  for (const bool together : {false, true}) {
    for (PlannedCell cell : alone) {
      cell.seeds_of_many = cell.seeds_of_one = kMembers;
      cell.measured.reset();
      cell.against = together ? cell.row : "";
      if (together) cell.row += ", together";
      cell.together = together;
      plan.cells.push_back(std::move(cell));
    }
  }
}

ExperimentRuns ensemble_runs() {
  return {&run_ensembles, &forecast_kept_cells};
}

}  // namespace ordered_gnn::lab
