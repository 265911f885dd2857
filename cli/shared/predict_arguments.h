#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "shared/added_nodes.h"
#include "shared/arguments.h"
#include "shared/checkpoint_arguments.h"
#include "shared/parts_predictions.h"
#include "shared/prediction_table.h"

namespace ordered_gnn::cli {

/// What `ognn predict` is told.
struct PredictCommand : OutputFlags {
  std::unique_ptr<CheckpointArguments> arguments;
  std::unique_ptr<AddedArguments> added;
  PartsArguments parts;
  std::string out, logits, embeddings, gates;
  std::string only, columns;
  PredictionLayout layout;
  int64_t uncertain = 0;
  bool calibrate = false;
  bool raw_csv = false, force = false;
};

/// Adds all of its options but the footer of the help.
void add_predict_options(CLI::App& sub, PredictCommand& command);

/// What a whole graph is asked for: that something is written, into files that
/// may be, and that no option is about something else.
/// @throws UsageError when the options do not go together, Error for a file
///         that is not ours or cannot be written.
void check_predict_arguments(const PredictCommand& command);

}  // namespace ordered_gnn::cli
