#include "lab/reproduce/cell_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/reproduce/cells.h"

namespace ordered_gnn::lab {
namespace {

CellRun cell_run(const LoggedRun& record) {
  const Metric metric = record.options.train.metric;
  auto run = row_of_run<CellRun>(record);
  run.score = 100 * select(record.result->test, metric);
  run.validation = 100 * select(record.result->val, metric);
  return run;
}

// The runs of a cell that all ended well, or why they did not.
void fill_cell(const std::vector<const LoggedRun*>& records, CellResult& cell) {
  size_t failed = 0;
  std::string first_error;
  for (const LoggedRun* record : records) {
    if (record->result) {
      cell.runs.push_back(cell_run(*record));
      cell.parameters = record->result->num_parameters;
    } else if (failed++ == 0) {
      first_error = fmt::format("split {}, seed {}: {}", record->split,
                                record->options.train.seed, record->error);
    }
  }
  if (failed == 0) return;
  cell.runs.clear();
  cell.status = CellStatus::failed;
  cell.reason = one_line(fmt::format("{} of {} runs failed, {}", failed,
                                     records.size(), first_error));
}

// Hands the records out to the cells. A run counts once for its maker, however
// many cells it serves.
void fill_cells(const std::vector<LoggedRun>& records,
                std::vector<ReadyCell>& cells, ExperimentResult& result) {
  std::map<std::string, const LoggedRun*> record_of;
  for (const LoggedRun& record : records) record_of[record.key] = &record;
  std::set<std::string> counted;
  for (ReadyCell& cell : cells) {
    std::vector<const LoggedRun*> own;
    for (const std::string& key : cell.keys) {
      const LoggedRun& record = *record_of.at(key);
      own.push_back(&record);
      if (record.result && counted.insert(record.key).second) {
        count_run(record.command, record.version, record.commit,
                  result.made_by);
      }
    }
    fill_cell(own, cell.result);
    result.cells.push_back(std::move(cell.result));
  }
}

// The runs of all cells with the words for each.
struct LabelledRuns {
  std::vector<PlannedRun> planned;
  std::vector<std::string> labels;
  std::map<std::string, std::string> label_of_key;

  void add(const std::string& experiment, const ReadyCell& cell, size_t run,
           const std::filesystem::path& models) {
    planned.push_back(cell.runs[run]);
    if (!models.empty()) {
      planned.back().folder = model_folder(models, cell, run);
    }
    labels.push_back(fmt::format("{}: {}, {}, split {}, seed {}", experiment,
                                 cell.result.column, cell.result.row,
                                 cell.runs[run].split,
                                 cell.runs[run].options.train.seed));
    label_of_key.emplace(cell.keys[run], labels.back());
  }
};

// The first run of every cell, then the second of every cell, and so on: models
// differ widely in their time, and what is left is told from what has passed.
LabelledRuns label_runs(const std::string& experiment,
                        const std::vector<ReadyCell>& cells,
                        const std::filesystem::path& models) {
  size_t most = 0;
  for (const ReadyCell& cell : cells) most = std::max(most, cell.runs.size());
  LabelledRuns runs;
  for (size_t i = 0; i < most; ++i) {
    for (const ReadyCell& cell : cells) {
      if (i < cell.runs.size()) runs.add(experiment, cell, i, models);
    }
  }
  return runs;
}

// Both must outlive what is returned.
BatchHooks batch_hooks(const ReproductionHooks& hooks,
                       const LabelledRuns& runs) {
  BatchHooks out;
  if (hooks.on_epoch) {
    out.on_epoch = [&](const EpochReport& report, const PlannedRun& run) {
      const auto place = static_cast<size_t>(&run - runs.planned.data());
      hooks.on_epoch(report, runs.labels.at(place));
    };
  }
  if (hooks.on_run) {
    out.on_run = [&](const LoggedRun& run, const BatchProgress& progress) {
      hooks.on_run(run, runs.label_of_key.at(run.key), progress);
    };
  }
  return out;
}

// The runs that a log has; none when there is no such file.
RunTable logged_runs(const std::filesystem::path& file) {
  RunTable log;
  if (std::filesystem::exists(file)) {
    for (LoggedRun& run : read_run_log(file)) log.keep(std::move(run));
  }
  return log;
}

void run_in_common_log(const ExperimentPlan& plan, const RunContext& context,
                       ExperimentResult& result) {
  run_cells(plan, context, {}, result);
}

}  // namespace

// Everything is run as one batch, so that workers never wait for a cell.
void run_cells(const ExperimentPlan& plan, const RunContext& context,
               const std::filesystem::path& models, ExperimentResult& result) {
  const std::string name = plan.experiment->name;
  std::vector<ReadyCell> cells;
  for (const PlannedCell& cell : plan.cells) {
    if (context.hooks.on_step) {
      context.hooks.on_step(
          fmt::format("{}: loading {}", name, cell.options.data.data));
    }
    cells.push_back(make_ready(cell, context.batch, context.datasets));
  }
  const LabelledRuns runs = label_runs(name, cells, models);
  fill_cells(run_batch(runs.planned, context.log, context.datasets,
                       context.batch, batch_hooks(context.hooks, runs)),
             cells, result);
}

std::filesystem::path run_kept_cells(const ExperimentPlan& plan,
                                     const RunContext& context,
                                     ExperimentResult& result) {
  const std::filesystem::path folder = context.folder / plan.experiment->name;
  const std::filesystem::path models = folder / "models";
  RunLog log(folder);
  run_cells(
      plan,
      {context.folder, context.batch, context.hooks, log, context.datasets},
      models, result);
  result.broken.insert(result.broken.end(), log.broken().begin(),
                       log.broken().end());
  return models;
}

void mark_models_unable(const ExperimentPlan& plan, const RunContext& context,
                        const std::string& error, CellResult& cell) {
  cell.status = CellStatus::failed;
  cell.reason =
      one_line(fmt::format("{}; delete {} to train it again", error,
                           (context.folder / plan.experiment->name).string()));
  cell.runs.clear();
}

std::vector<CellForecast> forecast_kept_cells(
    const ExperimentPlan& plan, const std::filesystem::path& folder,
    const BatchOptions& batch) {
  return forecast_cells(plan, folder / plan.experiment->name, batch);
}

CellForecast empty_forecast(const PlannedCell& cell) {
  CellForecast forecast;
  forecast.row = cell.row;
  forecast.column = cell.column;
  forecast.recipe = cell.recipe;
  return forecast;
}

std::vector<CellForecast> forecast_cells(const ExperimentPlan& plan,
                                         const std::filesystem::path& folder,
                                         const BatchOptions& batch) {
  const RunTable log = logged_runs(folder / "runs.jsonl");
  DatasetCache datasets;
  std::vector<CellForecast> forecasts;
  for (const PlannedCell& cell : plan.cells) {
    const ReadyCell ready = make_ready(cell, batch, datasets);
    CellForecast forecast = empty_forecast(cell);
    forecast.runs = static_cast<int64_t>(ready.runs.size());
    for (const std::string& key : ready.keys) {
      const LoggedRun* const run = log.find(key);
      const bool settled =
          run != nullptr && (run->result || !batch.retry_failed);
      forecast.done += settled ? 1 : 0;
    }
    forecast.status = ready.result.status;
    forecast.reason = ready.result.reason;
    forecasts.push_back(std::move(forecast));
  }
  return forecasts;
}

ExperimentRuns cell_runs() { return {&run_in_common_log, &forecast_cells}; }

}  // namespace ordered_gnn::lab
