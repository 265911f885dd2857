#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "commands.h"
#include "lab/compare/comparison.h"
#include "lab/compare/several.h"
#include "lab/runs/dataset_cache.h"
#include "lab/runs/output_folder.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/interruption.h"
#include "shared/kept_runs.h"
#include "shared/lists.h"
#include "shared/many_runs.h"
#include "shared/progress.h"
#include "shared/status_line.h"
#include "shared/sweep_output.h"
#include "shared/table.h"
#include "shared/thread_use.h"

namespace ordered_gnn::cli {
namespace {

struct CompareCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string models, seeds, trials, search, out;
  bool retry_failed = false, dry_run = false;
};

int64_t trials_of(const std::string& text) {
  for (const Option<lab::SweepSpec>& row : lab::sweep_option_table()) {
    if (row.spec.name == "trials") {
      return parse_option(row.spec, text).get<int64_t>();
    }
  }
  fail("the sweep's options have no 'trials'");
}

lab::ComparisonOptions options_of(const CompareCommand& command) {
  lab::ComparisonOptions options;
  options.models = list_words("--models", command.models);
  options.values = command.arguments->values();
  if (options.values.contains("splits")) {
    options.splits = options.values["splits"].get<std::string>();
  }
  erase_how_runs_are_done(options.values);
  if (!command.seeds.empty()) options.seeds = list_seeds(command.seeds);
  if (!command.trials.empty()) options.trials = trials_of(command.trials);
  if (!command.search.empty()) {
    options.spaces = "search/" + command.search;
    options.spaces_alone = true;
  }
  return options;
}

// The datasets of "--data cora,texas". A path may hold a comma, too.
std::vector<std::string> datasets_of(const lab::ComparisonOptions& options) {
  const std::string data = options.values.value("data", "");
  std::error_code ignored;
  if (std::filesystem::exists(data, ignored)) return {data};
  return list_words("--data", data);
}

// Where the comparison on each dataset goes, below `out` when there are
// several.
std::vector<std::string> folders_of(const std::vector<std::string>& datasets,
                                    const std::string& out) {
  if (datasets.size() == 1) return {out};
  std::vector<std::string> folders;
  for (const std::string& data : datasets) {
    folders.push_back(folder_named_after(data, out));
    if (std::count(folders.begin(), folders.end(), folders.back()) > 1) {
      throw UsageError(fmt::format(
          "--data has two datasets for the folder {}; compare them one by one",
          folders.back()));
    }
  }
  return folders;
}

std::string output_of(const CompareCommand& command,
                      const std::vector<std::string>& datasets) {
  if (!command.out.empty()) return command.out;
  std::vector<std::string> names;
  for (const std::string& data : datasets) {
    names.push_back(
        std::filesystem::path(folder_named_after(data, ".")).filename());
  }
  return fmt::format("compared/{}", fmt::join(names, "-"));
}

void print_plan(const lab::ComparisonOptions& options) {
  lab::DatasetCache datasets;
  Table table({"model", "starts from", "searches"},
              {lab::Align::left, lab::Align::left, lab::Align::left});
  for (const lab::ModelPlan& plan : lab::plan_comparison(options)) {
    RunOptions start = plan.spec.base;
    datasets.get(start);  // says so when there is no such data
    table.add(
        {plan.model, plan.start.empty() ? "its defaults" : plan.start,
         options.trials < 2
             ? "nothing"
             : fmt::format("{}", fmt::join(plan.spec.space.names(), ", "))});
  }
  std::cout << table.text()
            << fmt::format("{} settings each, then splits {}\n",
                           std::max<int64_t>(1, options.trials),
                           options.splits);
}

std::string score_of_run(const RunResult& result, Metric metric) {
  const double test = value_of(result.test, metric);
  return std::isnan(test)
             ? "val " + score_text(value_of(result.val, metric), metric)
             : "test " + score_text(test, metric);
}

lab::ComparisonHooks hooks_of(StatusLine& line,
                              const lab::ComparisonOptions& options,
                              bool quiet) {
  lab::ComparisonHooks hooks;
  hooks.on_note = [quiet](const std::string& note) {
    if (!quiet) tell({note});
  };
  // No progress, so it is said to the quiet too.
  hooks.on_broken_line = [](const std::string& message) {
    tell({"left out: " + message});
  };
  hooks.on_tuning = [&line, &options](const std::string& model,
                                      const lab::SweepProgress& progress) {
    if (!line.due()) return;
    size_t number = 1;
    while (options.models[number - 1] != model) ++number;
    line.show(fmt::format("tuning {} ({} of {}){}{}", model, number,
                          options.models.size(), line.terminal() ? "\n" : ": ",
                          progress_text(progress, line.terminal())));
  };
  hooks.on_run = [&line](const lab::LoggedRun& run, const std::string& model,
                         const lab::BatchProgress& progress) {
    const std::string outcome =
        run.result ? score_of_run(*run.result, run.options.train.metric)
                   : "failed: " + run.error;
    line.print(
        fmt::format("{}, split {}, seed {}: {}, {:.1f} s ({}/{}, {} "
                    "left)",
                    model, run.split, run.options.train.seed, outcome,
                    run.seconds, progress.skipped + progress.done,
                    progress.total, duration_text(progress.seconds_left)));
  };
  return hooks;
}

void require_all_done(const lab::Comparison& result, const std::string& out) {
  std::vector<std::string> failed;
  for (const lab::ComparedModel& model : result.models) {
    if (!model.done()) failed.push_back(model.model);
  }
  if (failed.empty()) return;
  fail(
      "no number for {}; {}/compare.md says why, --retry-failed repeats "
      "failed runs",
      fmt::join(failed, ", "), out);
}

std::vector<lab::Comparison> run_all(const CompareCommand& command,
                                     lab::ComparisonOptions options,
                                     const std::vector<std::string>& datasets,
                                     const std::vector<std::string>& folders,
                                     lab::StopRequest* stop) {
  RunOptions run;
  command.arguments->apply(run);
  use_threads(run.execution);
  std::vector<lab::Comparison> results;
  StatusLine line(command.quiet);
  for (size_t i = 0; i < datasets.size(); ++i) {
    options.values["data"] = datasets[i];
    if (datasets.size() > 1) {
      line.print(
          fmt::format("{} ({} of {})", datasets[i], i + 1, datasets.size()));
    }
    results.push_back(lab::run_comparison(
        options, folders[i], batch_options(run, command.retry_failed, stop),
        hooks_of(line, options, command.quiet)));
  }
  return results;
}

void print_results(const CompareCommand& command,
                   const std::vector<lab::Comparison>& results,
                   const std::string& out) {
  const bool one = results.size() == 1;
  if (command.json) {
    std::cout
        << (one ? to_json(results[0]) : lab::datasets_json(results)).dump(2)
        << '\n';
  } else {
    std::cout << (one ? lab::comparison_text(results[0])
                      : lab::datasets_text(results))
              << fmt::format("{}: {}/compare.md\n",
                             one ? "Tables and plot" : "Tables", out);
  }
}

void do_compare(const CompareCommand& command) {
  lab::ComparisonOptions options = options_of(command);
  const std::vector<std::string> datasets = datasets_of(options);
  if (datasets.empty()) lab::plan_comparison(options);  // which says so
  const std::string out = output_of(command, datasets);
  const std::vector<std::string> folders = folders_of(datasets, out);
  for (const std::string& data : datasets) {
    options.values["data"] = data;
    // Before the first of many runs.
    lab::plan_comparison(options);
    if (command.dry_run) print_plan(options);
  }
  if (command.dry_run) return;
  Interruption interruption(
      [&](bool saved) { return kept_of_runs(out, saved); });
  // Marks the folder of several as ours.
  std::optional<lab::OutputFolder> several;
  if (folders.size() > 1) {
    several.emplace(
        out, lab::ExistingOutput::resume, Json::object(),
        Json{{"command", command_line()}},
        lab::FolderKind{"comparisons.json", "ordered_gnn comparisons 1",
                        "comparison of several datasets"});
  }
  const std::vector<lab::Comparison> results =
      run_all(command, options, datasets, folders, interruption.stop());
  if (several) lab::write_datasets(results, out);
  print_results(command, results, out);
  for (size_t i = 0; i < results.size(); ++i) {
    require_all_done(results[i], folders[i]);
  }
}

void add_options(CLI::App& sub, CompareCommand& command) {
  sub.add_option("--models", command.models,
                 "models to compare, see 'ognn models': ordered_gnn,gcn,mlp; "
                 "MODEL_correct_smooth has Correct & Smooth behind it, "
                 "ordered_gnn_AGGREGATOR another aggregation (gcn, gat, sum, "
                 "max, signed), ordered_gnn_transform weights in its layers; "
                 "tuned_gnn_gcn, _sage and _gat are tuned_gnn of such layers")
      ->type_name("LIST");
  sub.add_option("--trials", command.trials,
                 "settings that every model may try, the one it starts from "
                 "among them; 0 = recipes and defaults as they are")
      ->type_name("INT [16]");
  sub.add_option("--search", command.search,
                 "search spaces of one folder for all: modern, or "
                 "modern/directed where edges have a direction")
      ->type_name("NAME [systems]");
  sub.add_option("--seeds", command.seeds, "seeds to run every split with")
      ->type_name("LIST [42; 42,43,44 where there is one split]");
  sub.add_option("--out", command.out,
                 "folder of runs, tables and plot; goes on with what is there")
      ->type_name("DIR [compared/DATA]");
  sub.add_flag("--retry-failed", command.retry_failed,
               "repeat runs that failed");
  sub.add_flag("--dry-run", command.dry_run,
               "show what every model starts from and searches, and stop");
  add_output_flags(sub, command, "print the result as one JSON object",
                   kNoProgress);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App& sub = *app.add_subcommand(
      "compare", "Compare models on datasets after equal tuning");
  add_options(sub, *command);
  // Models are tuned by their search spaces; what is left is the same for all.
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Training", "Execution"},
      searched_training_options());
  sub.footer(
      "All models run on the same splits (all, unless --splits says less), "
      "with settings chosen by\nvalidation score alone. The table says which "
      "differences are more than chance.\nSeveral datasets are written with "
      "commas: --data cora,texas. They get one table.\n"
      "Examples:\n"
      "  ognn compare --data texas --models ordered_gnn,gcn,mlp --workers 0\n"
      "  ognn compare --data cora --models ordered_gnn,ordered_gnn_max,"
      "mlp_correct_smooth\n"
      "  ognn compare --data cora,texas --models ordered_gnn,gcn --out "
      "compared/both\n"
      "  ognn compare --data my.npz --models gcn,gat,mlp --trials 0 --out "
      "compared/mine\n"
      "  ognn compare --data minesweeper --search modern --models "
      "ordered_gnn_transform,tuned_gnn_gcn,mlp");
  call_on(sub, command, do_compare);
}

}  // namespace ordered_gnn::cli
