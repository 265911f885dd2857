#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <memory>

#include "commands.h"
#include "data/drawn_splits.h"
#include "lab/runs/curves.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/recipe.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/interruption.h"
#include "shared/kept_runs.h"
#include "shared/parts_training.h"
#include "shared/progress.h"
#include "shared/reading_text.h"
#include "shared/speech.h"
#include "shared/table.h"
#include "shared/tensorboard_log.h"
#include "shared/thread_use.h"
#include "train/batch_choice.h"
#include "train/direction_remarks.h"
#include "train/training_memory.h"
#include "train/weight_remarks.h"

namespace ordered_gnn::cli {
namespace {

struct TrainCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  PartsArguments parts;
  std::string config;
  std::string out;
  std::string tensorboard;
  bool resume = false;
  bool overwrite = false;
  bool print_config = false;
};

std::string result_table(const lab::RunSummary& summary) {
  const Metric metric = summary.options.train.metric;
  const std::string name = to_string(metric);
  Table table({"split", "test " + score_heading(metric), "val", "train",
               "best epoch", "epochs", "seconds"});
  for (const RunResult& run : summary.runs) {
    table.add({std::to_string(run.split),
               score_text(value_of(run.test, metric), metric),
               score_text(value_of(run.val, metric), metric),
               score_text(value_of(run.train, metric), metric),
               std::to_string(run.best_epoch), std::to_string(run.epochs),
               fmt::format("{:.1f}", run.seconds)});
  }
  const size_t runs = summary.runs.size();
  std::string test = "no test part";
  if (!std::isnan(summary.test_mean)) {
    test =
        fmt::format("test {} {}", name, score_text(summary.test_mean, metric));
    if (runs > 1) test += " ± " + score_text(summary.test_std, metric);
  }
  return table.text() + fmt::format("{} on {}: {}, val {} ({} run{})\n",
                                    summary.options.model, summary.dataset,
                                    test, score_text(summary.val_mean, metric),
                                    runs, runs == 1 ? "" : "s");
}

// What Correct & Smooth changed; empty when it was not asked for.
std::string correction_text(const lab::RunSummary& summary) {
  double val = 0, test = 0;
  for (const RunResult& run : summary.runs) {
    if (!run.before_correct_smooth) return "";
    val += run.before_correct_smooth->val.accuracy;
    test += run.before_correct_smooth->test.accuracy;
  }
  const auto runs = static_cast<double>(summary.runs.size());
  return fmt::format(
      "before Correct & Smooth: {}, val {} (accuracy)\n",
      std::isnan(test) ? "no test part" : "test " + percent(test / runs),
      percent(val / runs));
}

// Takes the threads that suit the data.
std::string execution_text(const NodeDataset& data, const RunOptions& options) {
  const std::string threads = use_threads_for(data, options);
  if (options.execution.workers == 1) return threads;
  const int64_t runs = lab::runs_at_a_time(data, options);
  const std::string at_a_time =
      fmt::format("{} run{} at a time", runs, runs == 1 ? "" : "s");
  const bool one_each =
      options.execution.threads == 1 || options.execution.device != Device::cpu;
  if (one_each) return at_a_time + " of one thread";
  return fmt::format("{}, sharing {} threads", at_a_time, default_threads());
}

// Ahead of training, for all splits together and on all threads.
void prepare_ahead(const NodeDataset& data, const RunOptions& options,
                   bool quiet) {
  PreparationOptions preparation;
  preparation.cache = options.train.layout_cache;
  preparation.note = [quiet](const std::string& sentence) {
    if (!quiet) say(sentence);
  };
  prepare_model(options.model, options.network, data, preparation);
}

// What is said of a run that goes on must be what its folder says of it.
void require_agreement(const RunArguments& arguments, const Json& stored,
                       const std::string& folder) {
  if (!stored.is_object()) return;
  const Json given = arguments.values();
  for (const Option<RunOptions>& row : run_option_table()) {
    const std::string& name = row.spec.name;
    if (row.spec.execution_only || !given.contains(name) ||
        !stored.contains(name)) {
      continue;
    }
    // What counts is the splits in it, which the fingerprint compares.
    if (name == "split-file") continue;
    // "auto" stands for what the run then found.
    if (given[name] == stored[name] || given[name] == "auto") continue;
    throw UsageError(fmt::format(
        "--{} {} does not fit the run in {}, which has {}; leave it out to go "
        "on, or choose another --out",
        name, value_text(given[name]), folder, value_text(stored[name])));
  }
}

RunOptions effective_options(const TrainCommand& command) {
  std::vector<Json> layers;
  if (command.resume) {
    Json stored = lab::folder_fact(command.out, "config");
    require_agreement(*command.arguments, stored, command.out);
    // A folder beside the run that may be gone; it is asked for anew.
    if (stored.is_object()) stored.erase("layout-cache");
    if (stored.is_object()) layers.push_back(stored);
  }
  if (!command.config.empty()) {
    std::vector<std::string> notes;
    layers.push_back(lab::read_recipe(command.config, &notes));
    tell(notes);
  }
  layers.push_back(command.arguments->values());
  RunOptions options = run_options_from_layers(layers);
  validate(options);
  return options;
}

void require_consistent(const TrainCommand& command,
                        const RunOptions& options) {
  if (command.resume && command.out.empty()) {
    throw UsageError(
        "--resume needs the --out folder of the run to go on with");
  }
  if (options.data.data.empty() && command.resume) {
    throw UsageError(fmt::format(
        "{} holds no run to go on with; start one with --data and without "
        "--resume",
        command.out));
  }
  if (options.data.data.empty()) {
    throw UsageError(
        "no dataset given; add --data NAME or PATH, or a --config that has it "
        "('ognn data list' shows the names)");
  }
  if (command.resume && command.overwrite) {
    throw UsageError("--resume and --overwrite exclude each other");
  }
}

lab::ExistingOutput existing_output(const TrainCommand& command) {
  if (command.resume) return lab::ExistingOutput::resume;
  return command.overwrite ? lab::ExistingOutput::overwrite
                           : lab::ExistingOutput::refuse;
}

// Trains by `run` with what a run writes and shows.
lab::RunSummary run_shown(
    const TrainCommand& command, Metric metric, lab::StopRequest* stop,
    const std::string& dataset,
    const std::function<lab::RunSummary(const lab::SplitsHooks&)>& run) {
  TensorBoardLog log(command.tensorboard, dataset);
  Progress progress(command.quiet, metric);
  lab::SplitsHooks hooks;
  hooks.folder = command.out;
  hooks.existing = existing_output(command);
  hooks.command = command_line();
  hooks.stop = stop;
  hooks.on_note = [](const std::string& note) { tell({note}); };
  hooks.on_epoch = [&](const EpochReport& report) {
    log.epoch(report);
    progress.epoch(report);
  };
  hooks.on_split = [&](const RunResult& result, int64_t done, int64_t total) {
    log.split_done(result.split);
    progress.split_done(result, done, total);
  };
  return run(hooks);
}

lab::RunSummary train_on_data(const TrainCommand& command,
                              const RunOptions& given, lab::StopRequest* stop) {
  RunOptions options = given;
  lab::DirectionBy decided = lab::DirectionBy::nobody;
  const NodeDataset data = lab::load_for_training(options, decided);
  const std::string execution = execution_text(data, options);
  if (!command.quiet) {
    say(fmt::format("{}; {}", reading_text(data, decided), execution));
    tell(data::drawn_split_notes(data));
  }
  tell(reading_hints(data, decided));
  tell(training::direction_remarks(options, data));
  tell(training::weight_remarks(options, data));
  tell(training::memory_remarks(options, data,
                                lab::runs_at_a_time(data, options)));
  prepare_ahead(data, options, command.quiet);
  return run_shown(command, options.train.metric, stop, data.name,
                   [&](const lab::SplitsHooks& hooks) {
                     return lab::run_splits(data, options, hooks);
                   });
}

PartsTraining parts_training(const TrainCommand& command) {
  RunOptions said;
  command.arguments->apply(said);
  return {command.parts, said.data.treatment, command.out, command.quiet,
          scale::SpillUse::training};
}

lab::RunSummary train_on_parts(const TrainCommand& command,
                               const RunOptions& options,
                               lab::StopRequest* stop) {
  return run_shown(command, options.train.metric, stop, parts_name(options),
                   [&](const lab::SplitsHooks& hooks) {
                     return train_parts(options, parts_training(command),
                                        hooks);
                   });
}

void run_train(const TrainCommand& command) {
  const RunOptions options = effective_options(command);
  if (command.print_config) {
    warn_unread(*command.arguments, options);
    std::cout << to_json(options).dump(2) << '\n';
    return;
  }
  require_consistent(command, options);
  const bool over_parts = trains_over_parts(options, command.parts);
  if (!over_parts) training::require_no_part_batches(options.train.batch);
  use_threads(options.execution);
  // A recipe may say so, too.
  use_max_memory(max_memory_of(options.execution));
  if (over_parts && served_as_rank(options, parts_training(command))) return;
  warn_unread(*command.arguments, options);
  Interruption interruption([&](bool saved) {
    return kept_of_training(
        command.out,
        command.tensorboard.empty()
            ? ""
            : " --tensorboard " + shell_word(command.tensorboard),
        saved);
  });
  const auto train = over_parts ? &train_on_parts : &train_on_data;
  const lab::RunSummary summary = train(command, options, interruption.stop());
  std::cout << (command.json
                    ? to_json(summary).dump(2) + "\n"
                    : result_table(summary) + correction_text(summary));
  // Last: a result must not be lost to a file that only repeats metrics.
  if (command.out.empty()) return;
  for (const std::string& line : lab::write_curves(command.out)) {
    tell({"left out: " + line});
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto command = std::make_shared<TrainCommand>();
  CLI::App& sub = *app.add_subcommand(
      "train", "Train a model on one or more splits and save it");
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Model", "Training",
                                    "Correct & Smooth", "Execution", "Parts"});
  sub.add_option("--config", command->config,
                 "recipe: a JSON file of these options, or a built-in one such "
                 "as table2/texas; the command line wins")
      ->type_name("FILE|NAME");
  sub.add_option("--out", command->out,
                 "folder for checkpoints, metrics, curves.csv and summary.json")
      ->type_name("DIR");
  sub.add_option("--tensorboard", command->tensorboard,
                 "folder for TensorBoard event files, written as it trains")
      ->type_name("DIR");
  add_parts_options(sub, command->parts);
  sub.add_flag("--resume", command->resume,
               "go on with the run that was stopped in --out, with the "
               "settings that are there");
  sub.add_flag("--overwrite", command->overwrite,
               "replace a run of ours in --out");
  sub.add_flag("--print-config", command->print_config,
               "print the options as a recipe and stop");
  add_output_flags(sub, *command, "print the result as one JSON object",
                   kNoProgress);
  sub.footer(
      "Examples:\n"
      "  ognn train --data texas --out runs/texas\n"
      "  ognn train --data texas --splits all --tensorboard logs   # then: "
      "tensorboard --logdir logs\n"
      "  ognn train --config table2/texas --splits all --workers 0\n"
      "  ognn train --data 'synthetic:csbm?homophily=0.2' --layers 4 --json\n"
      "  ognn train --data my_graph.npz --split-set random:60/20/20 --model "
      "mlp\n"
      "  ognn train --data g.parts --ranks 2 --out runs/g   # after: ognn "
      "partition\n"
      "  ognn train --data g.parts --batch parts:4 --out runs/g   # steps on 4 "
      "parts\n"
      "  ognn train --out runs/texas --resume");
  call_on(sub, command, run_train);
}

}  // namespace ordered_gnn::cli
