#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/prediction.h"
#include "shared/arguments.h"
#include "shared/checkpoint_arguments.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

struct EvaluateCommand {
  std::unique_ptr<CheckpointArguments> arguments;
  int64_t split = -1;
  bool json = false;
};

int64_t chosen_split(const EvaluateCommand& command,
                     const LoadedCheckpoint& loaded) {
  const auto count = static_cast<int64_t>(loaded.data.splits.size());
  const int64_t split =
      command.split < 0 ? loaded.prediction.split : command.split;
  if (split >= count) {
    throw UsageError(fmt::format("'{}' has {} splits, there is no split {}",
                                 loaded.data.name, count, split));
  }
  return split;
}

void run_evaluate(const EvaluateCommand& command) {
  const LoadedCheckpoint loaded = load(*command.arguments);
  const NodeDataset& data = loaded.data;
  const int64_t index = chosen_split(command, loaded);
  const Split& split = data.splits[index];
  PredictionOptions options = loaded.prediction;
  options.split = index;
  const Prediction prediction = predict(loaded.trained, loaded.data, options);
  Json json = {{"dataset", data.name},
               {"model", loaded.trained.options.model},
               {"split", index}};
  Table table({"part", "nodes", "accuracy", "macro F1", "ROC-AUC", "loss"});
  const auto add = [&](const char* part, const at::Tensor& nodes) {
    const Scores scores = score_nodes(prediction.logits, data.labels, nodes);
    const double loss = labelled_loss(prediction.logits, data.labels, nodes);
    json[part] = to_json(scores);
    json[part]["loss"] = loss;
    json[part]["nodes"] = nodes.numel();
    json[fmt::format("{}_accuracy", part)] = scores.accuracy;
    table.add({part, std::to_string(nodes.numel()), percent(scores.accuracy),
               percent(scores.macro_f1), percent(scores.roc_auc),
               fmt::format("{:.4f}", loss)});
  };
  add("train", split.train);
  add("val", split.val);
  add("test", split.test);
  if (command.json) {
    std::cout << json.dump(2) << '\n';
  } else {
    std::cout << fmt::format("{} on {}, split {}\n",
                             loaded.trained.options.model, data.name, index)
              << table.text();
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App& sub = *app.add_subcommand(
      "evaluate", "Score a trained model on the parts of a split");
  command->arguments = std::make_unique<CheckpointArguments>(sub);
  add_split_option(sub, command->split);
  sub.add_flag("--json", command->json, "print one JSON object");
  sub.footer(
      "Example:\n"
      "  ognn evaluate --checkpoint runs/texas/split-0/model.safetensors "
      "--split 0");
  call_on(sub, command, run_evaluate);
}

}  // namespace ordered_gnn::cli
