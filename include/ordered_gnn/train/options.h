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

/// Score that selects the best epoch.
enum class Metric { accuracy, macro_f1, roc_auc };
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

struct TrainOptions {
  int64_t epochs = 2000;
  int64_t patience = 200;
  double lr = 0.005;
  double l2_theta = 5e-4;
  double l2_xi = 5e-4;
  InputNorm input_norm = InputNorm::frozen;
  Metric metric = Metric::accuracy;
  Schedule schedule = Schedule::constant;
  int64_t warmup = 0;
  double clip_norm = 0;  ///< 0: off
  int64_t seed = 42;
  double save_seconds = 20;
  double drop_edge = 0;            ///< share of the edges left out of an epoch
  bool checkpoint_layers = false;  ///< recompute layers in backward
  /// Folder in which a model may keep what it prepares of the data; empty:
  /// nothing is written.
  std::string layout_cache = "";
};

const std::vector<Option<TrainOptions>>& train_option_table();

/// Learning rate of an epoch, counted from 1: linear warm-up, then the
/// schedule over the remaining epochs.
double learning_rate(const TrainOptions& options, int64_t epoch);

}  // namespace ordered_gnn
