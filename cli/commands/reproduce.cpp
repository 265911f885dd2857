#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.h"
#include "lab/report/table.h"
#include "lab/reproduce/experiment.h"
#include "lab/reproduce/merge.h"
#include "lab/reproduce/report.h"
#include "lab/reproduce/reproduction.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/interruption.h"
#include "shared/kept_runs.h"
#include "shared/lists.h"
#include "shared/progress.h"
#include "shared/status_line.h"
#include "shared/table.h"
#include "shared/thread_use.h"

namespace ordered_gnn::cli {
namespace {

struct ReproduceCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string experiment, datasets, seeds, splits, models, recipes;
  std::string out = "reproduction";
  bool alone = false, quick = false, retry_failed = false, dry_run = false;
};

struct ReportCommand : OutputFlags {
  std::string from = "reproduction";
  std::string add, out;
};

lab::ReproductionOptions options_of(const ReproduceCommand& command,
                                    const RunOptions& run) {
  lab::ReproductionOptions options;
  options.datasets = list_words("--datasets", command.datasets);
  options.seeds = list_seeds(command.seeds);
  options.splits = command.splits;
  options.models = list_words("--models", command.models);
  options.alone = command.alone;
  options.quick = command.quick;
  options.data_root = run.data.data_root;
  options.recipes = command.recipes;
  return options;
}

/// Shows what is at work and every run that ends, on standard error.
class ReproductionProgress {
 public:
  explicit ReproductionProgress(bool quiet) : line_(quiet) {}

  lab::ReproductionHooks hooks() {
    lab::ReproductionHooks hooks;
    hooks.on_step = [this](const std::string& text) { line_.show(text); };
    hooks.on_epoch = [this](const EpochReport& report,
                            const std::string& what) {
      if (!line_.due()) return;
      const std::string epoch =
          fmt::format(": epoch {}/{}", report.epoch, report.epochs);
      line_.show(fitted_line(what,
                             {fmt::format("{} val {} best {}{}", epoch,
                                          percent(report.val.accuracy),
                                          percent(report.best_score), so_far_),
                              epoch + so_far_, so_far_},
                             line_.columns()));
    };
    hooks.on_run = [this](const lab::LoggedRun& run, const std::string& what,
                          const lab::BatchProgress& progress) {
      so_far_ =
          fmt::format(" ({}/{}, {} left)", progress.skipped + progress.done,
                      progress.total, duration_text(progress.seconds_left));
      const std::string outcome =
          run.result ? fmt::format("test {} val {}",
                                   percent(run.result->test.accuracy),
                                   percent(run.result->val.accuracy))
                     : "failed: " + run.error;
      line_.print(fmt::format("{}: {}, {:.1f} s{}", what, outcome, run.seconds,
                              so_far_));
    };
    return hooks;
  }

  void print(const std::string& text) { line_.print(text); }

 private:
  StatusLine line_;
  std::string so_far_;
};

// What the plans come to, cell by cell.
struct Forecast {
  lab::ReportTable table{
      {"experiment", "column", "row", "recipe", "runs", "done", ""},
      {lab::Align::left, lab::Align::left, lab::Align::left, lab::Align::left,
       lab::Align::right, lab::Align::right, lab::Align::left}};
  int64_t runs = 0, done = 0, failed = 0;
  /// Why cells cannot run, once for each dataset and reason.
  std::vector<std::string> reasons;

  void add(const std::string& experiment, const lab::CellForecast& cell) {
    const bool able = cell.status == lab::CellStatus::done;
    table.add({experiment, cell.column, cell.row, cell.recipe,
               std::to_string(cell.runs), std::to_string(cell.done),
               able ? "" : to_string(cell.status)});
    failed += cell.status == lab::CellStatus::failed ? 1 : 0;
    runs += cell.runs;
    done += cell.done;
    const std::string reason = to_string(cell.status) + ": " + cell.reason;
    if (!able &&
        std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
};

Forecast forecast_all(const std::vector<lab::ExperimentPlan>& plans,
                      const std::string& out, const lab::BatchOptions& batch) {
  Forecast forecast;
  for (const lab::ExperimentPlan& plan : plans) {
    for (const lab::CellForecast& cell :
         lab::forecast_experiment(plan, out, batch)) {
      forecast.add(plan.experiment->name, cell);
    }
  }
  return forecast;
}

void print_forecast(const Forecast& forecast, bool quick) {
  if (quick) std::cout << lab::quick_label() << '\n';
  std::cout << forecast.table.text();
  for (const std::string& reason : forecast.reasons) {
    std::cout << reason << '\n';
  }
  std::cout << fmt::format("{} runs, {} of them done\n", forecast.runs,
                           forecast.done);
  if (forecast.failed > 0) {
    std::cout << std::flush;
    fail("{} of the rows would fail; the reasons are below the table",
         forecast.failed);
  }
}

// The exit status tells of cells that failed; data that is not there is no
// failure of ours.
void require_no_failure(const std::vector<lab::ExperimentResult>& results,
                        const std::string& out) {
  std::vector<std::string> failed;
  for (const lab::ExperimentResult& result : results) {
    for (const lab::CellResult& cell : result.cells) {
      if (cell.status != lab::CellStatus::failed) continue;
      failed.push_back(
          fmt::format("{} {}, {}", result.name, cell.column, cell.row));
    }
  }
  if (!failed.empty()) {
    fail(
        "no number for {}; {}/results.md says why, --retry-failed repeats "
        "failed runs",
        fmt::join(failed, "; "), out);
  }
}

// Tables can be written from a log on a machine without the device; nothing
// more, and that is said before the folder is made.
void require_all_done(const std::string& missing_device,
                      const Forecast& forecast, const std::string& out) {
  const int64_t left = forecast.runs - forecast.done;
  if (left > 0) {
    throw UsageError(fmt::format("{}; {} runs are not in {} yet",
                                 missing_device, left, out));
  }
}

// Runs the plans one after the other and shows what comes out.
std::vector<lab::ExperimentResult> run_plans(
    const ReproduceCommand& command,
    const std::vector<lab::ExperimentPlan>& plans,
    const lab::BatchOptions& batch) {
  ReproductionProgress progress(command.quiet);
  lab::Reproduction reproduction(command.out, batch, progress.hooks());
  if (command.quick) progress.print(lab::quick_label());
  for (const std::string& line : reproduction.log().broken()) {
    progress.print("not used: " + line);
  }
  std::vector<lab::ExperimentResult> results;
  Json json = Json::array();
  for (const lab::ExperimentPlan& plan : plans) {
    results.push_back(reproduction.run(plan));
    if (command.json) {
      json.push_back(to_json(results.back()));
    } else {
      std::cout << lab::experiment_text(results.back()) << '\n' << std::flush;
    }
  }
  if (command.json) {
    std::cout << Json{{"out", command.out}, {"experiments", json}}.dump(2)
              << '\n';
  } else {
    std::cout << fmt::format("Tables and plots: {}/results.md\n", command.out);
  }
  return results;
}

void run_reproduce(const ReproduceCommand& command) {
  if (command.experiment.empty()) {
    throw UsageError(fmt::format("name an experiment: all, {}; or report",
                                 fmt::join(lab::experiment_names(), ", ")));
  }
  RunOptions run;
  command.arguments->apply(run);
  validate_values(run);
  use_threads(run.execution);
  lab::BatchOptions batch =
      batch_options(run, command.retry_failed, /*stop=*/nullptr);
  const std::vector<lab::ExperimentPlan> plans =
      lab::plan_experiments(command.experiment, options_of(command, run));
  if (command.dry_run) {
    print_forecast(forecast_all(plans, command.out, batch), command.quick);
    return;
  }
  const std::string missing = missing_device(run.execution);
  if (!missing.empty()) {
    require_all_done(missing, forecast_all(plans, command.out, batch),
                     command.out);
  }
  Interruption interruption(
      [&](bool saved) { return kept_of_runs(command.out, saved); });
  batch.stop = interruption.stop();
  require_no_failure(run_plans(command, plans, batch), command.out);
}

void run_report(const ReportCommand& command) {
  if (command.out.empty()) {
    throw UsageError("'ognn reproduce report' needs --out FILE.md");
  }
  std::vector<std::string> problems;
  if (!command.add.empty()) {
    problems = lab::merge_results(command.add, command.from);
  }
  for (std::string& problem : lab::write_report(command.from, command.out)) {
    problems.push_back(std::move(problem));
  }
  for (const std::string& problem : problems) tell({"not used: " + problem});
  if (command.json) {
    std::cout << Json{{"out", command.out}, {"not_used", problems}}.dump(2)
              << '\n';
  } else if (!command.quiet) {
    std::cout << "Wrote " << command.out << '\n';
  }
}

void add_report(CLI::App& parent) {
  auto command = std::make_shared<ReportCommand>();
  CLI::App& sub = *parent.add_subcommand(
      "report", "Write a page of the results that are there, training nothing");
  sub.add_option("--from", command->from, "folder of 'ognn reproduce'")
      ->type_name("DIR [reproduction]");
  sub.add_option("--add", command->add,
                 "folder of further runs, whose finished numbers are taken "
                 "into the results of --from first")
      ->type_name("DIR");
  sub.add_option("--out", command->out,
                 "Markdown file; its plots go to a folder of that name")
      ->type_name("FILE");
  add_output_flags(sub, *command, "print what was written as JSON",
                   "do not say what was written");
  sub.footer(
      "Examples:\n  ognn reproduce report --from reproduction --out "
      "docs/results.md\n  ognn reproduce report --from docs/results/files "
      "--add "
      "pubmed-runs --out docs/results.md");
  call_on(sub, command, run_report);
}

void add_options(CLI::App& sub, ReproduceCommand& command) {
  sub.add_option(
         "experiment", command.experiment,
         fmt::format("all, {}", fmt::join(lab::experiment_names(), ", ")))
      ->type_name("EXPERIMENT");
  sub.add_option("--out", command.out,
                 "folder of runs, tables and plots; goes on with what is there")
      ->type_name("DIR [reproduction]");
  sub.add_option("--datasets", command.datasets, "only these: texas,cora")
      ->type_name("LIST");
  sub.add_option("--seeds", command.seeds,
                 "seeds to run [42; 42,43,44 where there is one split]")
      ->type_name("LIST");
  sub.add_option("--splits", command.splits, "only these: 0,3,5-7")
      ->type_name("LIST");
  sub.add_option("--models", command.models,
                 "only these models, see 'ognn models'; for systems also "
                 "names of files in recipes/systems, such as "
                 "ordered_gnn_max and gcn_correct_smooth [table2: all systems "
                 "of the paper; systems: all others; else Ordered GNN]")
      ->type_name("LIST");
  sub.add_flag("--alone", command.alone,
               "only the rows of --models, without the one that they are "
               "compared with: for 'reproduce report --add'");
  sub.add_option("--recipes", command.recipes,
                 "folder laid out as recipes/ instead of the built-in ones")
      ->type_name("DIR");
  sub.add_flag("--quick", command.quick,
               "few splits and epochs, to see that it works; all outputs say "
               "so");
  sub.add_flag("--retry-failed", command.retry_failed,
               "repeat runs that failed");
  sub.add_flag("--dry-run", command.dry_run, "show what would run and stop");
  add_output_flags(sub, command, "print the results as one JSON object",
                   kNoProgress);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto command = std::make_shared<ReproduceCommand>();
  CLI::App& sub =
      *app.add_subcommand("reproduce", "Repeat the paper's tables and figures");
  sub.allow_extras();
  sub.require_subcommand(0, 1);
  add_options(sub, *command);
  add_report(sub);
  // Recipes decide these.
  std::vector<std::string> others = {"checkpoint-layers", "reorder"};
  for (const Option<RunOptions>& row : run_option_table()) {
    if (row.spec.group == "Data" && row.spec.name != "data-root") {
      others.push_back(row.spec.name);
    }
  }
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Execution"}, others);
  sub.footer(
      "Runs what is missing and skips what is done; kill it and start it again "
      "as you like.\n"
      "Examples:\n"
      "  ognn reproduce table2 --workers 0\n"
      "  ognn reproduce all --quick --out quick\n"
      "  ognn reproduce table2 --datasets texas,cora --models "
      "ordered_gnn,mlp\n"
      "  ognn reproduce depth --device cuda --workers 6\n"
      "  ognn reproduce report --out docs/results.md");
  sub.callback([command, &sub] {
    if (!sub.get_subcommands().empty()) return;
    refuse_extras(sub);
    run_reproduce(*command);
  });
}

}  // namespace ordered_gnn::cli
