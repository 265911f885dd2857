#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn {

/// What happens to the LayerNorms between input layers.
enum class InputNorm {
  frozen,    ///< never trained: weight stays 1, bias 0
  no_decay,  ///< trained without L2
  decay,     ///< trained with the L2 of theta
};
std::string to_string(InputNorm input_norm);
InputNorm parse_input_norm(const std::string& name);

/// Score that selects the best epoch, see Scores; of log_loss the lowest.
enum class Metric {
  accuracy,
  macro_f1,
  roc_auc,
  balanced_accuracy,
  average_precision,
  log_loss,
};
std::string to_string(Metric metric);
Metric parse_metric(const std::string& name);

/// How the learning rate moves over the epochs after the warm-up.
enum class Schedule {
  constant,
  linear,  ///< falls to 0 at the last epoch
  cosine,  ///< falls to 0 along half a cosine
  step,    ///< halves every quarter of the epochs
};
std::string to_string(Schedule schedule);
Schedule parse_schedule(const std::string& name);

/// Whether a batch of parts hears the parts that are not in it.
enum class History {
  on,   ///< as they were when they were computed last
  off,  ///< not at all
};
std::string to_string(History history);
History parse_history(const std::string& name);

struct TrainOptions {
  int64_t epochs = 2000;
  int64_t patience = 200;
  /// Epochs between evaluations, see is_evaluated().
  int64_t eval_every = 1;
  double lr = 0.005;
  double l2_theta = 5e-4;
  double l2_xi = 5e-4;
  InputNorm input_norm = InputNorm::frozen;
  Metric metric = Metric::accuracy;
  Schedule schedule = Schedule::constant;
  int64_t warmup = 0;
  double clip_norm = 0;  ///< 0: off
  /// Factor a of an exponential moving average of parameters and running
  /// statistics, which is evaluated and kept in place of them:
  /// avg = d avg + (1 - d) w after every epoch t, d = min(a, (t - 1) / (t +
  /// 9)). 0: off.
  double average_weights = 0;
  int64_t seed = 42;
  double save_seconds = 20;
  /// How much the classes count in the loss, which is
  /// sum_i w[y_i] l_i / sum_i w[y_i] over the training nodes, l being the
  /// cross-entropy. "none": all the same. "balanced": w[c] = N / (C n_c) for
  /// n_c of the N labelled training nodes, of C classes, being of class c, so
  /// that all classes count the same together. "churn:5,stay:1": as said, 1 for
  /// classes that are not named; names as the data has them, or numbers from 0
  /// where no class has a number for a name.
  std::string class_weights = "none";
  /// What a step is computed on. "whole": the graph. "parts:4": four random
  /// parts of a graph in parts, each of which is in one step of every epoch.
  std::string batch = "whole";
  History history = History::on;   ///< of batches of parts
  double drop_edge = 0;            ///< share of the edges left out of an epoch
  bool checkpoint_layers = false;  ///< recompute layers in backward
  /// Folder in which a model may keep what it prepares of the data; empty:
  /// nothing is written.
  std::string layout_cache = "";
};

const std::vector<Option<TrainOptions>>& train_option_table();

/// Whether an epoch, counted from 1, is evaluated: every `eval_every`-th, and
/// the last that a run can have, be it by its epochs or by its patience. The
/// best epoch is one of these.
/// @param best_epoch  best one before it; 0: none was evaluated.
bool is_evaluated(const TrainOptions& options, int64_t epoch,
                  int64_t best_epoch);

/// Learning rate of an epoch, counted from 1: linear warm-up, then the
/// schedule over the remaining epochs.
double learning_rate(const TrainOptions& options, int64_t epoch);

}  // namespace ordered_gnn
