#include "lab/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/json_reader.h"
#include "lab/runs/recipe_writer.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/interruption.h"
#include "shared/kept_runs.h"
#include "shared/output_file.h"
#include "shared/status_line.h"
#include "shared/sweep_output.h"
#include "shared/thread_use.h"
#include "train/unread_options.h"

namespace ordered_gnn::cli {
namespace {

struct SweepCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string config;
  std::string base;
  std::string out;
  std::string method;
  std::string trials;
  std::string search_seed;
  std::string eta;
  std::string min_budget;
  std::string best;
  bool retry_failed = false;
  bool dry_run = false;
};

void set_search_option(const char* name, const std::string& word,
                       lab::SweepSpec& spec) {
  if (word.empty()) return;
  for (const Option<lab::SweepSpec>& row : lab::sweep_option_table()) {
    if (row.spec.name == name) row.set(spec, parse_option(row.spec, word));
  }
}

lab::SweepSpec effective_spec(const SweepCommand& command) {
  if (command.config.empty()) {
    throw UsageError(
        "no sweep file given; add --config FILE, for example one of "
        "recipes/search");
  }
  lab::SweepSpec spec = lab::read_sweep(command.config, command.base);
  for (const std::string& name : spec.space.names()) {
    if (command.arguments->given(name)) {
      throw UsageError(
          fmt::format("--{} is searched by {}; leave it out here or there",
                      name, command.config));
    }
  }
  lab::override_base(command.arguments->values(), spec);
  if (command.arguments->given("seed")) spec.seeds.clear();
  set_search_option("method", command.method, spec);
  set_search_option("search-seed", command.search_seed, spec);
  set_search_option("eta", command.eta, spec);
  set_search_option("min-budget", command.min_budget, spec);
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

// Tells of options of the command line that no trial reads; the first is asked
// for the reason.
void warn_unread_by_all(const RunArguments& arguments,
                        const lab::SweepSpec& spec) {
  std::vector<std::string> unread = arguments.given_names();
  RunOptions first = spec.base;
  const std::vector<lab::Setting> settings = lab::settings_of(spec);
  const std::vector<lab::Setting> variants = lab::variants_of(spec);
  for (size_t i = 0; i < settings.size() && !unread.empty(); ++i) {
    for (const lab::Setting& variant : variants) {
      RunOptions trial = spec.base;
      apply_values(lab::to_json(settings[i]), trial);
      apply_values(lab::to_json(variant), trial);
      if (i == 0) first = trial;
      const auto reads = [&](const std::string& name) {
        return training::reads_option(trial, name);
      };
      unread.erase(std::remove_if(unread.begin(), unread.end(), reads),
                   unread.end());
    }
  }
  tell(training::unread_options(first, unread));
}

void list_trials(const lab::SweepSpec& spec, bool json) {
  const std::vector<lab::Setting> settings = lab::settings_of(spec);
  if (json) {
    Json list = Json::array();
    for (const lab::Setting& setting : settings)
      list.push_back(lab::to_json(setting));
    std::cout << list.dump(2) << '\n';
    return;
  }
  for (size_t i = 0; i < settings.size(); ++i) {
    std::cout << fmt::format("{}: {}\n", i, setting_text(settings[i]));
  }
  const size_t variants = lab::variants_of(spec).size();
  std::cout << fmt::format(
      "{} trials ({}) of {} seeds{} each, on splits {} of {}\n",
      settings.size(), to_string(spec.method), lab::seeds_of(spec).size(),
      variants > 1 ? fmt::format(" and {} variants", variants) : "",
      spec.base.splits, spec.base.data.data);
}

void require_success(const lab::SweepResult& result) {
  if (result.best) return;
  for (const lab::TrialResult& trial : result.trials) {
    if (trial.failed > 0) {
      fail(
          "every trial of the last rung has a failed run; the first reason: {}",
          trial.error);
    }
  }
  fail("no trial has a validation score; is the metric defined on this data?");
}

void do_sweep(const SweepCommand& command) {
  const lab::SweepSpec spec = effective_spec(command);
  tell(spec.notes);
  warn_unread_by_all(*command.arguments, spec);
  if (command.dry_run) return list_trials(spec, command.json);
  if (command.out.empty()) {
    throw UsageError("no folder given; add --out DIR for the results");
  }
  if (!command.best.empty()) {
    require_writable(lab::recipe_target(command.best), "{", false);
  }
  use_threads(spec.base.execution);
  lab::SweepResult result;
  {
    Interruption interruption(
        [&](bool saved) { return kept_of_runs(command.out, saved); });
    StatusLine line(command.quiet);
    lab::SweepHooks hooks;
    if (!command.quiet) {
      hooks.on_note = [](const std::string& note) { tell({note}); };
    }
    // No progress, so it is said to the quiet too.
    hooks.on_broken_line = [](const std::string& message) {
      tell({"left out: " + message});
    };
    hooks.on_progress = [&line](const lab::SweepProgress& progress) {
      if (line.due()) line.show(progress_text(progress, line.terminal()));
    };
    result = lab::run_sweep(
        spec, command.out,
        batch_options(spec.base, command.retry_failed, interruption.stop()),
        hooks);
  }
  if (command.json) {
    std::cout << sweep_json(spec, result).dump(2) << '\n';
  } else {
    std::cout << best_trials(spec, result)
              << closing_lines(command.out, result);
  }
  require_success(result);
  if (!command.best.empty()) {
    const std::filesystem::path found = command.out;
    lab::write_recipe(command.best, core::read_json(found / "best.json"));
  }
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto command = std::make_shared<SweepCommand>();
  CLI::App& sub = *app.add_subcommand(
      "sweep", "Search for the settings with the best validation score");
  command->arguments = std::make_unique<RunArguments>(
      sub,
      std::vector<std::string>{"Data", "Model", "Training", "Correct & Smooth",
                               "Execution"},
      std::vector<std::string>{"save-seconds"});
  sub.add_option("--config", command->config,
                 "sweep file: fixed options, and lists or ranges to search; "
                 "the command line wins")
      ->type_name("FILE|NAME");
  sub.add_option("--base", command->base,
                 "recipe that is read before the sweep file's fixed options, "
                 "instead of the one it is based on")
      ->type_name("FILE|NAME");
  sub.add_option(
         "--out", command->out,
         "folder for runs.jsonl, best.json, trials.csv, trials.md, "
         "trials.tex and parallel.json; a sweep that was stopped there goes on")
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
  sub.add_option("--eta", command->eta,
                 "instead of the file's: the best one of so many goes on")
      ->type_name("INT");
  sub.add_option("--min-budget", command->min_budget,
                 "instead of the file's: splits or epochs of the first rung")
      ->type_name("INT");
  sub.add_option("--best", command->best,
                 "when the sweep is done, write its best.json here too, over a "
                 "recipe that is there; in a file with \"for\" what differs")
      ->type_name("FILE");
  sub.add_flag("--retry-failed", command->retry_failed,
               "repeat runs that failed before");
  sub.add_flag("--dry-run", command->dry_run, "list the trials and stop");
  add_output_flags(sub, *command, "print the result as one JSON object",
                   kNoProgress);
  sub.footer(
      "The best setting has the highest mean validation score over the splits "
      "and seeds;\ntest scores have no part in it.\n"
      "Examples:\n"
      "  ognn sweep --config search/homophily-heterophily --data cornell "
      "--method halving --trials 90 --out sweeps/cornell --workers 0\n"
      "  ognn sweep --config mine.json --dry-run\n"
      "  ognn train --config sweeps/cornell/best.json --out runs/cornell");
  call_on(sub, command, do_sweep);
}

}  // namespace ordered_gnn::cli
