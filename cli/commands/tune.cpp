#include "lab/tune/tune.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
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

struct TuneCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string models, out;
  double minutes = 10;
  int64_t trials = lab::TuneOptions{}.trials;
  bool retry_failed = false;
};

lab::TuneOptions options_of(const TuneCommand& command) {
  lab::TuneOptions options;
  if (!command.models.empty()) {
    options.models = list_words("--models", command.models);
  }
  options.values = command.arguments->values();
  if (options.values.contains("splits")) {
    options.splits = options.values["splits"].get<std::string>();
  }
  erase_how_runs_are_done(options.values);
  options.minutes = command.minutes;
  options.trials = command.trials;
  if (options.values.value("data", "").empty()) {
    throw UsageError(
        "no dataset given; add --data NAME or PATH ('ognn data list' shows the "
        "names)");
  }
  return options;
}

std::string progress_line(const lab::TuneProgress& progress) {
  const std::string best =
      progress.best == nullptr
          ? "no trial complete yet"
          : fmt::format("best {} val {} ({})", progress.best->model,
                        progress.best->best->score(),
                        setting_text(progress.best->best->setting));
  return fmt::format("tuning, {} left: {} settings done, trying {}; {}",
                     duration_text(progress.seconds_left), progress.trials,
                     progress.model, best);
}

lab::TuneHooks hooks_of(StatusLine& line, bool quiet) {
  lab::TuneHooks hooks;
  hooks.on_note = [quiet](const std::string& note) {
    if (!quiet) tell({note});
  };
  // No progress, so it is said to the quiet too.
  hooks.on_broken_line = [](const std::string& message) {
    tell({"left out: " + message});
  };
  hooks.on_progress = [&line](const lab::TuneProgress& progress) {
    if (line.due()) line.show(progress_line(progress));
  };
  hooks.on_epoch = [&line](const EpochReport& report) {
    if (!line.due()) return;
    line.show(fmt::format("training the best one: split {} epoch {}/{}",
                          report.split, report.epoch, report.epochs));
  };
  return hooks;
}

std::string closing_text(const lab::TuneResult& result) {
  const lab::TunedModel& best = result.models[result.best];
  return fmt::format(
      "Best on {}: {} with {}\nTrained and saved in {}. To predict with it:\n"
      "  ognn predict --checkpoint {} --out predictions.csv\n",
      result.dataset, best.model, setting_text(best.best->setting),
      result.folder.string(),
      shell_word(result.summary.runs.front().checkpoint));
}

void do_tune(const TuneCommand& command) {
  const lab::TuneOptions options = options_of(command);
  RunOptions run;
  command.arguments->apply(run);
  use_threads(run.execution);
  const std::string out =
      !command.out.empty()
          ? command.out
          : folder_named_after(options.values.at("data"), "tuned");
  lab::TuneResult result;
  {
    Interruption interruption(
        [&](bool saved) { return kept_of_runs(out, saved); });
    StatusLine line(command.quiet);
    result = lab::run_tune(
        options, out,
        batch_options(run, command.retry_failed, interruption.stop()),
        hooks_of(line, command.quiet));
  }
  if (command.json) {
    std::cout << lab::to_json(result).dump(2) << '\n';
  } else {
    std::cout << lab::tune_text(result) << closing_text(result);
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App& sub = *app.add_subcommand(
      "tune", "Find a good model for your data in some minutes, and train it");
  sub.add_option("--minutes", command->minutes,
                 "time for all of it; goes on with what an earlier call tried")
      ->type_name("NUM [10]")
      ->check(CLI::Range(0.0, 1e6));
  sub.add_option("--trials", command->trials,
                 "settings to try in all, those of earlier calls included; 0 = "
                 "as many as the time allows")
      ->type_name(fmt::format("INT [{}]", command->trials))
      ->check(CLI::Range(int64_t{0}, lab::kMostSettings));
  sub.add_option("--models", command->models,
                 "models to try, see 'ognn models'; the mlp shows what the "
                 "columns reach without the graph")
      ->type_name("LIST [mlp,gcn,ordered_gnn]");
  sub.add_option("--out", command->out,
                 "folder of the search, and of the best model in best/; a "
                 "search that was stopped there goes on")
      ->type_name("DIR [tuned/DATA]");
  sub.add_flag("--retry-failed", command->retry_failed,
               "repeat runs that failed");
  add_output_flags(sub, *command, "print the result as one JSON object",
                   kNoProgress);
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Training", "Execution"},
      searched_training_options());
  sub.footer(
      "Every model starts from settings that mostly work; others are drawn at "
      "random around them.\nModels take turns, the one that is ahead most of "
      "them; the best has the highest validation\nscore, test scores have no "
      "part in it. What the command line fixes is not searched.\n"
      "Examples:\n"
      "  ognn tune --data graph.npz\n"
      "  ognn tune --data graph.npz --minutes 30 --metric balanced_accuracy "
      "\\\n      --class-weights balanced --workers 0 --out tuned/customers\n"
      "  ognn predict --checkpoint tuned/graph/best/split-0/model.safetensors "
      "\\\n      --out predictions.csv");
  call_on(sub, command, do_tune);
}

}  // namespace ordered_gnn::cli
