#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/ensemble.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {

/// The arguments that predict, evaluate and explain share: a checkpoint and
/// data to use it on, treated as in training unless told otherwise.
struct CheckpointArguments {
  /// How many checkpoints a command takes.
  enum class Count { one, several };

  explicit CheckpointArguments(CLI::App& command, Count count = Count::one);

  std::vector<std::string> files;
  std::string unknown_classes = "refuse";
  std::unique_ptr<RunArguments> run;
};

/// `--split`: the split that a trained model is scored on; -1 when not given,
/// for the one it was trained on.
void add_split_option(CLI::App& command, int64_t& split);

struct LoadedCheckpoint {
  std::vector<std::string> files;  ///< of `trained` and of `others`
  Trained trained;
  /// More that answer together with it, see ask().
  std::vector<EnsembleMember> others;
  NodeDataset data;  ///< with the classes of the model, see match_classes()
  /// Whether it is the data that the model was trained on, splits included.
  bool is_training_data = false;
  /// With the split trained on, Correct & Smooth as trained or asked for, and
  /// the device asked for.
  PredictionOptions prediction;
};

/// Tells of a checkpoint without a checksum.
void tell_unverified(const Trained& trained, const std::string& file);

/// Tells what had to be decided about the data.
/// @throws Error when the checkpoint or data cannot be read or do not fit.
LoadedCheckpoint load(const CheckpointArguments& arguments);

/// The names of the model's classes; their numbers where they have none.
std::vector<std::string> class_names(const Trained& trained);

}  // namespace ordered_gnn::cli
