#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {

/// The arguments that predict, evaluate and explain share: a checkpoint and
/// data to use it on, treated as in training unless told otherwise.
struct CheckpointArguments {
  explicit CheckpointArguments(CLI::App& command);

  std::string file;
  std::unique_ptr<RunArguments> run;
};

/// `--split`: the split that a trained model is scored on; -1 when not given,
/// for the one it was trained on.
void add_split_option(CLI::App& command, int64_t& split);

struct LoadedCheckpoint {
  Trained trained;
  NodeDataset data;
  /// With the split trained on, Correct & Smooth as trained or asked for, and
  /// the device asked for.
  PredictionOptions prediction;
};

/// @throws Error when the checkpoint or data cannot be read or do not fit.
LoadedCheckpoint load(const CheckpointArguments& arguments);

}  // namespace ordered_gnn::cli
