#include <ATen/ATen.h>
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/calibrated.h"
#include "shared/checkpoint_arguments.h"
#include "shared/ensemble.h"
#include "shared/evaluation_text.h"
#include "shared/parts_answers.h"

namespace ordered_gnn::cli {
namespace {

struct EvaluateCommand : OutputFlags {
  std::unique_ptr<CheckpointArguments> arguments;
  PartsArguments parts;
  std::string on = "auto";
  int64_t split = -1;
  bool calibrate = false;
};

enum class EvaluatedNodes { automatic, split, labelled };

// What is evaluated, and which split's training labels a model may read.
struct Question {
  bool by_split = true;
  int64_t split = 0;
};

int64_t chosen_split(const EvaluateCommand& command,
                     const LoadedCheckpoint& loaded) {
  const auto count = static_cast<int64_t>(loaded.data.splits.size());
  const int64_t split =
      command.split < 0 ? loaded.prediction.split : command.split;
  if (split >= count) {
    throw UsageError(fmt::format(
        "'{}' has {} splits, there is no split {}; choose one with --split or "
        "--split-set, or score all labelled nodes with --on labelled",
        loaded.data.name, count, split));
  }
  return split;
}

Question question_of(const EvaluateCommand& command,
                     const LoadedCheckpoint& loaded) {
  const auto on = core::parse_enum<EvaluatedNodes>(
      "value of --on", command.on, {"auto", "split", "labelled"});
  Question out;
  out.by_split = on == EvaluatedNodes::split ||
                 (on == EvaluatedNodes::automatic &&
                  (!loaded.data.splits.empty() || command.split >= 0));
  out.split = command.split < 0 ? loaded.prediction.split : command.split;
  if (out.by_split) out.split = chosen_split(command, loaded);
  return out;
}

std::vector<NamedNodes> parts_of(const Question& question,
                                 const NodeDataset& data) {
  if (question.by_split) {
    const Split& split = data.splits[static_cast<size_t>(question.split)];
    return {{"train", split.train}, {"val", split.val}, {"test", split.test}};
  }
  const at::Tensor nodes = data.labels.ge(0).nonzero().flatten();
  if (nodes.numel() == 0) fail("'{}' has no labelled node", data.name);
  return {{"labelled", nodes}};
}

std::string title_of(const Question& question, const LoadedCheckpoint& loaded) {
  const std::string model =
      fmt::format("{} on {}", model_text(loaded), loaded.data.name);
  if (question.by_split)
    return fmt::format("{}, split {}", model, question.split);
  return fmt::format(
      "{}, all labelled nodes{}", model,
      loaded.is_training_data ? ", those it was trained on among them" : "");
}

void print_evaluation(const Question& question, const LoadedCheckpoint& loaded,
                      const std::vector<EvaluatedPart>& parts,
                      const std::optional<Temperature>& temperature) {
  std::cout << title_of(question, loaded) << '\n' << scores_text(parts);
  for (const EvaluatedPart& part : parts) {
    if (part.details.nodes == 0) {
      std::cout << fmt::format("There is no {} part.\n", part.name);
    }
  }
  if (temperature) {
    std::cout << temperature_text(*temperature, loaded.trained.result.split)
              << '\n';
  }
  if (const EvaluatedPart* const part = shown_part(parts)) {
    std::cout << details_text(*part, class_names(loaded.trained));
  }
}

Json evaluation_json(const Question& question, const LoadedCheckpoint& loaded,
                     const std::vector<EvaluatedPart>& parts,
                     const std::optional<Temperature>& temperature) {
  const std::vector<std::string> classes = class_names(loaded.trained);
  Json json = {{"dataset", loaded.data.name},
               {"model", model_text(loaded)},
               {"on", question.by_split ? "split" : "labelled"},
               {"split", question.by_split ? Json(question.split) : Json()},
               {"is_training_data", loaded.is_training_data},
               {"classes", classes}};
  if (!loaded.others.empty()) json["ensemble"] = ensemble_json(loaded);
  for (const EvaluatedPart& part : parts) {
    json[part.name] = to_json(part, classes);
    json[part.name + "_accuracy"] = json[part.name]["accuracy"];
  }
  if (temperature) {
    json["calibration"] = to_json(*temperature, loaded.trained.result.split);
  }
  return json;
}

void report(const EvaluateCommand& command, const Question& question,
            const LoadedCheckpoint& loaded, const Prediction& prediction) {
  std::optional<Temperature> temperature;
  if (command.calibrate) {
    temperature = validation_temperature(loaded, prediction, question.split);
  }
  const std::vector<EvaluatedPart> evaluated =
      evaluate_parts(prediction, loaded.data.labels,
                     parts_of(question, loaded.data), temperature);
  if (command.json) {
    std::cout << evaluation_json(question, loaded, evaluated, temperature)
                     .dump(2, ' ', false, Json::error_handler_t::replace)
              << '\n';
  } else {
    print_evaluation(question, loaded, evaluated, temperature);
  }
}

void evaluate_over_parts(const EvaluateCommand& command,
                         const std::filesystem::path& folder) {
  const PartsCheckpoint checkpoint =
      load_over_parts(*command.arguments, folder);
  const Question question = question_of(command, checkpoint.loaded);
  with_ranks(checkpoint, command.parts, [&](scale::PartsRun& run) {
    report(command, question, checkpoint.loaded,
           prediction_of(run.score(*checkpoint.loaded.trained.model)));
  });
}

void run_evaluate(const EvaluateCommand& command) {
  if (const auto folder = parts_folder(*command.arguments)) {
    evaluate_over_parts(command, *folder);
    return;
  }
  require_no_ranks(command.parts);
  const LoadedCheckpoint loaded = load(*command.arguments);
  const Question question = question_of(command, loaded);
  if (question.by_split && loaded.is_training_data) require_one_split(loaded);
  parts_of(question, loaded.data);  // refuses ahead of the work
  PredictionOptions options = loaded.prediction;
  options.split = question.split;
  report(command, question, loaded, ask(loaded, loaded.data, options));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App& sub = *app.add_subcommand(
      "evaluate",
      "Score a trained model: a split's parts or all labelled nodes, every "
      "class, calibration");
  command->arguments = std::make_unique<CheckpointArguments>(
      sub, CheckpointArguments::Count::several);
  sub.add_option("--on", command->on,
                 "the parts of a split, or all labelled nodes; auto takes the "
                 "split where the data has one")
      ->type_name("auto|split|labelled [auto]");
  add_split_option(sub, command->split);
  add_parts_options(sub, command->parts);
  sub.add_flag("--calibrate", command->calibrate,
               "scale the probabilities by a temperature fitted on the "
               "validation nodes of the training, and show what that changes");
  add_output_flags(sub, *command, "print one JSON object", kOnlyTheResult);
  sub.footer(
      "Classes are matched by name, so that the data may have fewer of them or "
      "in another order.\n"
      "Several checkpoints answer together, by the mean of their "
      "probabilities.\n"
      "Keys of --json: dataset model on split is_training_data classes[] "
      "ensemble[] calibration, and of every part (train, val, test or "
      "labelled): the "
      "scores, nodes labelled loss brier mean_confidence calibration_error "
      "classes[] confusion[][] calibration[]. docs/decisions.md says what they "
      "mean.\n"
      "Examples:\n"
      "  ognn evaluate --checkpoint runs/texas/split-0/model.safetensors "
      "--split 0\n"
      "  ognn evaluate --checkpoint model.safetensors --data new.npz --on "
      "labelled --calibrate\n"
      "  ognn evaluate --checkpoint seed-*/split-0/model.safetensors\n"
      "  ognn evaluate --checkpoint model.safetensors --data g.parts --ranks "
      "2");
  call_on(sub, command, run_evaluate);
}

}  // namespace ordered_gnn::cli
