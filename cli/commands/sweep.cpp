#include "ordered_gnn/experiment/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "arguments.h"
#include "command_line.h"
#include "commands.h"
#include "ordered_gnn/core/error.h"
#include "progress.h"
#include "table.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kTrialsShown = 10;

struct SweepCommand {
  std::unique_ptr<RunArguments> arguments;
  std::string config;
  std::string out;
  std::string method;
  std::string trials;
  std::string search_seed;
  bool retry_failed = false;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

std::string setting_text(const Setting& setting) {
  std::vector<std::string> words;
  for (const auto& [name, value] : setting) {
    words.push_back(fmt::format(
        "{}={}", name,
        value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

void set_search_option(const char* name, const std::string& word,
                       SweepSpec& spec) {
  if (word.empty()) return;
  for (const Option<SweepSpec>& row : sweep_option_table()) {
    if (row.spec.name == name) row.set(spec, parse_option(row.spec, word));
  }
}

SweepSpec effective_spec(const SweepCommand& command) {
  if (command.config.empty()) {
    throw UsageError(
        "no sweep file given; add --config FILE, for example one of "
        "recipes/search");
  }
  SweepSpec spec = read_sweep(command.config);
  for (const std::string& name : spec.space.names()) {
    if (command.arguments->given(name)) {
      throw UsageError(
          fmt::format("--{} is searched by {}; leave it out here or there",
                      name, command.config));
    }
  }
  command.arguments->apply(spec.base);
  if (command.arguments->given("seed")) spec.seeds.clear();
  set_search_option("method", command.method, spec);
  set_search_option("search-seed", command.search_seed, spec);
  // A grid of the command line has no use for the file's number of trials.
  if (command.method == "grid") spec.trials = 0;
  set_search_option("trials", command.trials, spec);
  if (spec.base.data.data.empty()) {
    throw UsageError(
        "no dataset given; add --data NAME or PATH ('ognn data list' shows the "
        "names)");
  }
  return spec;
}

void list_trials(const SweepSpec& spec, bool json) {
  const std::vector<Setting> settings = settings_of(spec);
  if (json) {
    Json list = Json::array();
    for (const Setting& setting : settings) list.push_back(to_json(setting));
    std::cout << list.dump(2) << '\n';
    return;
  }
  for (size_t i = 0; i < settings.size(); ++i) {
    std::cout << fmt::format("{}: {}\n", i, setting_text(settings[i]));
  }
  std::cout << fmt::format(
      "{} trials ({}) of {} seeds each, on splits {} of {}\n", settings.size(),
      to_string(spec.method), seeds_of(spec).size(), spec.base.splits,
      spec.base.data.data);
}

// A small table on a terminal, the same words in one line otherwise.
std::string progress_text(const SweepProgress& progress, bool terminal) {
  const std::string rung =
      progress.rungs == 1
          ? ""
          : fmt::format(", rung {} of {}", progress.rung + 1, progress.rungs);
  const std::string done =
      fmt::format("{}/{} runs done, {} failed{}", progress.runs_done,
                  progress.runs_total, progress.runs_failed, rung);
  const std::string time = fmt::format(
      "{} passed, {} left, {:.0f} % of the time training",
      duration_text(progress.seconds), duration_text(progress.seconds_left),
      100 * progress.training_share);
  const std::string best =
      progress.best ? fmt::format("best val {} (trial {}: {})",
                                  percent(progress.best->objective()),
                                  progress.best->number,
                                  setting_text(progress.best->setting))
                    : "no trial complete yet";
  return terminal ? fmt::format("  done  {}\n  time  {}\n  best  {}", done,
                                time, best)
                  : fmt::format("{}; {}; {}", done, time, best);
}

BatchOptions batch_options(const SweepCommand& command,
                           const RunOptions& options) {
  BatchOptions batch;
  batch.device = options.device;
  batch.math = options.math;
  batch.threads = options.threads;
  batch.workers = options.workers;
  batch.retry_failed = command.retry_failed;
  batch.command = command_line();
  return batch;
}

std::string trials_table(const SweepSpec& spec, const SweepResult& result) {
  std::vector<std::string> header = {"trial"};
  const std::vector<std::string> names = spec.space.names();
  header.insert(header.end(), names.begin(), names.end());
  header.insert(header.end(), {"val", "± se", "runs", "failed", "seconds"});
  if (spec.method == SearchMethod::halving) header.push_back("rung");
  Table table(header);
  const std::vector<TrialResult> trials = ranked(result.trials);
  for (size_t i = 0; i < std::min(kTrialsShown, trials.size()); ++i) {
    const TrialResult& trial = trials[i];
    std::vector<std::string> row = {std::to_string(trial.number)};
    for (const auto& [name, value] : trial.setting) {
      row.push_back(value.is_string() ? value.get<std::string>()
                                      : value.dump());
    }
    row.insert(
        row.end(),
        {percent(trial.objective()), percent(trial.val.standard_error),
         std::to_string(trial.runs), std::to_string(trial.failed),
         fmt::format("{:.1f}", trial.seconds), std::to_string(trial.rung)});
    table.add(row);
  }
  return table.text();
}

std::string closing_lines(const SweepCommand& command,
                          const SweepResult& result) {
  const int64_t all = result.runs + result.skipped;
  std::string text = fmt::format(
      "{} runs ({} were there already), {} failed, {:.1f} s, {:.0f} % of it "
      "training\n",
      all, result.skipped, result.failed, result.seconds,
      100 * result.training_share);
  if (!result.best) return text;
  const TrialResult& best = result.trials[*result.best];
  return text + fmt::format(
                    "best on {}: val {} with {}\n  test {} (not used for "
                    "choosing); recipe in {}/best.json\n",
                    result.dataset, percent(best.objective()),
                    setting_text(best.setting), percent(result.best_test_mean),
                    command.out);
}

Json result_json(const SweepSpec& spec, const SweepResult& result) {
  const auto trial_json = [](const TrialResult& trial) {
    const bool counts = trial.runs == trial.planned && trial.planned > 0;
    return Json{{"trial", trial.number},
                {"setting", to_json(trial.setting)},
                {"val_mean", counts ? Json(trial.objective()) : Json()},
                {"val_se", counts ? Json(trial.val.standard_error) : Json()},
                {"runs", trial.runs},
                {"failed", trial.failed},
                {"error", trial.error},
                {"seconds", trial.seconds},
                {"rung", trial.rung}};
  };
  Json trials = Json::array();
  for (const TrialResult& trial : result.trials) {
    trials.push_back(trial_json(trial));
  }
  Json best;
  if (result.best) {
    best = trial_json(result.trials[*result.best]);
    best["config"] = to_json(result.best_options);
    best["test_mean_not_used_for_choosing"] = result.best_test_mean;
  }
  return {{"dataset", result.dataset},
          {"method", to_string(spec.method)},
          {"metric", to_string(spec.base.train.metric)},
          {"best", best},
          {"trials", trials},
          {"runs", result.runs},
          {"skipped", result.skipped},
          {"failed", result.failed},
          {"seconds", result.seconds},
          {"training_share", result.training_share},
          {"broken_lines", result.broken}};
}

void require_success(const SweepResult& result) {
  if (result.best) return;
  for (const TrialResult& trial : result.trials) {
    if (trial.failed > 0) {
      fail(
          "every trial of the last rung has a failed run; the first reason: {}",
          trial.error);
    }
  }
  fail("no trial has a validation score; is the metric defined on this data?");
}

void do_sweep(const SweepCommand& command) {
  const SweepSpec spec = effective_spec(command);
  if (command.dry_run) return list_trials(spec, command.json);
  if (command.out.empty()) {
    throw UsageError("no folder given; add --out DIR for the results");
  }
  SweepResult result;
  {
    StatusLine line(command.quiet);
    SweepHooks hooks;
    // No progress, so it is said to the quiet too.
    hooks.on_broken_line = [](const std::string& message) {
      fmt::print(stderr, "ognn: left out: {}\n", message);
    };
    hooks.on_progress = [&line](const SweepProgress& progress) {
      if (line.due()) line.show(progress_text(progress, line.terminal()));
    };
    result =
        run_sweep(spec, command.out, batch_options(command, spec.base), hooks);
  }
  if (command.json) {
    std::cout << result_json(spec, result).dump(2) << '\n';
  } else {
    std::cout << trials_table(spec, result) << closing_lines(command, result);
  }
  require_success(result);
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto command = std::make_shared<SweepCommand>();
  CLI::App& sub = *app.add_subcommand(
      "sweep", "Search for the settings with the best validation score");
  sub.allow_extras();
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Model", "Training", "Execution"},
      std::vector<std::string>{"save-seconds"});
  sub.add_option("--config", command->config,
                 "sweep file: fixed options, and lists or ranges to search; "
                 "the command line wins")
      ->type_name("FILE");
  sub.add_option("--out", command->out,
                 "folder for runs.jsonl, best.json, trials.csv, trials.md and "
                 "parallel.json; a sweep that was stopped there goes on")
      ->type_name("DIR");
  sub.add_option("--method", command->method,
                 "instead of the file's: every setting, some at random, or "
                 "many that compete")
      ->type_name("grid|random|halving");
  sub.add_option("--trials", command->trials,
                 "instead of the file's: settings to draw at random")
      ->type_name("INT");
  sub.add_option("--search-seed", command->search_seed,
                 "instead of the file's: fixes which settings are drawn")
      ->type_name("INT");
  sub.add_flag("--retry-failed", command->retry_failed,
               "repeat runs that failed before");
  sub.add_flag("--dry-run", command->dry_run, "list the trials and stop");
  sub.add_flag("--json", command->json, "print the result as one JSON object");
  sub.add_flag("--quiet", command->quiet, "no progress on standard error");
  sub.footer(
      "The best setting has the highest mean validation score over the splits "
      "and seeds;\ntest scores have no part in it.\n"
      "Examples:\n"
      "  ognn sweep --config recipes/search/homophily-heterophily.json --data "
      "cornell \\\n      --method halving --trials 90 --out sweeps/cornell "
      "--workers 0\n"
      "  ognn sweep --config mine.json --dry-run\n"
      "  ognn train --config sweeps/cornell/best.json --out runs/cornell");
  sub.callback([command, &sub] {
    refuse_extras(sub);
    do_sweep(*command);
  });
}

}  // namespace ordered_gnn::cli
