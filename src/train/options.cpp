#include "ordered_gnn/train/options.h"

#include <algorithm>
#include <cmath>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kInputNormNames = {"frozen", "no_decay",
                                                  "decay"};
const std::vector<std::string> kMetricNames = {
    "accuracy",          "macro_f1",          "roc_auc",
    "balanced_accuracy", "average_precision", "log_loss"};
const std::vector<std::string> kHistoryNames = {"on", "off"};
const std::vector<std::string> kScheduleNames = {"constant", "linear", "cosine",
                                                 "step"};

}  // namespace

std::string to_string(InputNorm input_norm) {
  return kInputNormNames[static_cast<size_t>(input_norm)];
}
InputNorm parse_input_norm(const std::string& name) {
  return core::parse_enum<InputNorm>("input-norm setting", name,
                                     kInputNormNames);
}
std::string to_string(Metric metric) {
  return kMetricNames[static_cast<size_t>(metric)];
}
Metric parse_metric(const std::string& name) {
  return core::parse_enum<Metric>("metric", name, kMetricNames);
}
std::string to_string(History history) {
  return kHistoryNames[static_cast<size_t>(history)];
}
History parse_history(const std::string& name) {
  return core::parse_enum<History>("history setting", name, kHistoryNames);
}
std::string to_string(Schedule schedule) {
  return kScheduleNames[static_cast<size_t>(schedule)];
}
Schedule parse_schedule(const std::string& name) {
  return core::parse_enum<Schedule>("schedule", name, kScheduleNames);
}

const std::vector<Option<TrainOptions>>& train_option_table() {
  using O = TrainOptions;
  const char* const kGroup = "Training";
  static const std::vector<Option<O>> table = {
      in_range(option<O>(
                   "epochs", kGroup, [](O & o) -> auto& { return o.epochs; },
                   "most epochs to run"),
               1, 1e9),
      in_range(
          option<O>(
              "patience", kGroup, [](O & o) -> auto& { return o.patience; },
              "stop after this many epochs without a strictly "
              "better validation score"),
          1, 1e9),
      in_range(
          option<O>(
              "eval-every", kGroup, [](O & o) -> auto& { return o.eval_every; },
              "evaluate every so many epochs, and the last; the best epoch is "
              "one of these, patience still counts all epochs"),
          1, 1e9),
      in_range(option<O>(
                   "lr", kGroup, [](O & o) -> auto& { return o.lr; },
                   "learning rate of Adam"),
               0, 1e3),
      in_range(
          option<O>(
              "l2-theta", kGroup, [](O & o) -> auto& { return o.l2_theta; },
              "L2 of input and output layers"),
          0, 1e3),
      in_range(option<O>(
                   "l2-xi", kGroup, [](O & o) -> auto& { return o.l2_xi; },
                   "L2 of gates, attention and layer norms"),
               0, 1e3),
      enum_option<O>(
          "input-norm", kGroup, [](O & o) -> auto& { return o.input_norm; },
          parse_input_norm, kInputNormNames,
          "training of the norms between input layers"),
      enum_option<O>(
          "metric", kGroup, [](O & o) -> auto& { return o.metric; },
          parse_metric, kMetricNames,
          "validation score that selects the best epoch; log_loss: the "
          "lowest; roc_auc and average_precision: one class against the rest, "
          "the mean over the classes"),
      option<O>(
          "class-weights", kGroup,
          [](O & o) -> auto& { return o.class_weights; },
          "how much classes count in the loss: none (all the same), balanced "
          "(rare ones more, by N / (C n_c)), or churn:5,stay:1"),
      enum_option<O>(
          "schedule", kGroup, [](O & o) -> auto& { return o.schedule; },
          parse_schedule, kScheduleNames, "course of the learning rate"),
      in_range(option<O>(
                   "warmup", kGroup, [](O & o) -> auto& { return o.warmup; },
                   "epochs over which the learning rate rises from 0"),
               0, 1e9),
      in_range(
          option<O>(
              "clip-norm", kGroup, [](O & o) -> auto& { return o.clip_norm; },
              "largest norm of the whole gradient; 0 = no limit"),
          0, 1e30),
      option<O>(
          "batch", "Parts", [](O & o) -> auto& { return o.batch; },
          "what a training step is computed on: whole, the graph; parts:N, N "
          "random parts of --data g.parts; neighbors:S:F1,F2, S random "
          "training nodes with F1 random neighbours, each of these with F2, a "
          "number (or all) for each of at most three layers. Every part and "
          "training node is in one step of an epoch"),
      enum_option<O>(
          "history", "Parts", [](O & o) -> auto& { return o.history; },
          parse_history, kHistoryNames,
          "what a batch hears of parts that are not in it: on, their states "
          "as last computed; off, nothing, and means are over those that are"),
      in_range(
          option<O>(
              "drop-edge", kGroup, [](O & o) -> auto& { return o.drop_edge; },
              "share of the edges, loops apart, left out of every training "
              "step, drawn anew each time (DropEdge, for any model)"),
          0, 0.999),
      in_range(
          option<O>(
              "average-weights", kGroup,
              [](O & o) -> auto& { return o.average_weights; },
              "evaluate and keep an exponential moving average of the weights "
              "over the epochs, the past counting by this factor, such as "
              "0.99; 0 = the weights themselves"),
          0, 0.99999),
      in_range(option<O>(
                   "seed", kGroup, [](O & o) -> auto& { return o.seed; },
                   "fixes initialisation and dropout"),
               0, 9007199254740992.0),
      execution_only(
          in_range(option<O>(
                       "save-seconds", kGroup,
                       [](O & o) -> auto& { return o.save_seconds; },
                       "least time between two saved training states; 0 = "
                       "every epoch"),
                   0, 1e9)),
      option<O>(
          "checkpoint-layers", "Execution",
          [](O & o) -> auto& { return o.checkpoint_layers; },
          "keep only the input of a layer and compute the rest again in "
          "backward: less memory, a third to two thirds more time, the same "
          "results (tied gates: to rounding)"),
      execution_only(option<O>(
          "layout-cache", "Execution",
          [](O & o) -> auto& { return o.layout_cache; },
          "folder that keeps what a model computes of the graph ahead of "
          "training, for the next run; nothing is kept when not given" +
              readers_text("layout-cache"))),
  };
  return table;
}

bool is_evaluated(const TrainOptions& options, int64_t epoch,
                  int64_t best_epoch) {
  if (epoch % options.eval_every == 0 || epoch == options.epochs) return true;
  return best_epoch > 0 && epoch - best_epoch == options.patience;
}

double learning_rate(const TrainOptions& options, int64_t epoch) {
  if (epoch <= options.warmup) {
    return options.lr * static_cast<double>(epoch) /
           static_cast<double>(options.warmup);
  }
  const double span = static_cast<double>(
      std::max<int64_t>(1, options.epochs - options.warmup));
  const double done = static_cast<double>(epoch - options.warmup - 1) / span;
  switch (options.schedule) {
    case Schedule::constant:
      break;
    case Schedule::linear:
      return options.lr * (1.0 - done);
    case Schedule::cosine:
      return options.lr * 0.5 * (1.0 + std::cos(3.14159265358979323846 * done));
    case Schedule::step:
      return options.lr * std::pow(0.5, std::floor(done * 4.0));
  }
  return options.lr;
}

}  // namespace ordered_gnn
