#pragma once
#include <string>

#include "shared/parts_answers.h"
#include "shared/prediction_table.h"

namespace ordered_gnn::cli {

/// Files to write.
struct PartsOutput {
  PredictionLayout layout;
  std::string folder;
  bool force = false;  ///< replaces files that are not ours
};

/// Writes the predictions of every part as a file of its own, `part-0007.csv`
/// in the folder, nodes by their original ids, and says so.
/// @throws Error when the folder is there and none, or holds such files that
///         are not ours.
void predict_parts(const PartsCheckpoint& checkpoint,
                   const PartsArguments& arguments, const PartsOutput& output,
                   const OutputFlags& flags);

}  // namespace ordered_gnn::cli
