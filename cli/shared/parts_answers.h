#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "scale/parts/manifest.h"
#include "scale/ranks/parts_run.h"
#include "shared/checkpoint_arguments.h"
#include "shared/parts_training.h"

namespace ordered_gnn::cli {

/// The folder of parts that a checkpoint is to be used on: what --data names,
/// or without it where the model was trained. Nothing: it is other data.
std::optional<std::filesystem::path> parts_folder(
    const CheckpointArguments& arguments);

/// A trained model over the parts of a graph.
struct PartsCheckpoint {
  std::filesystem::path folder;
  scale::PartsManifest manifest;
  scale::ScoredNodes scored;
  LoadedCheckpoint loaded;  ///< its data are the scored nodes
  RunOptions options;       ///< of the model, executed as the arguments say
};

/// @throws UsageError for arguments that do not go with parts; Error when the
///         model does not fit.
PartsCheckpoint load_over_parts(const CheckpointArguments& arguments,
                                const std::filesystem::path& folder);

/// Calls `body` on rank 0, while all other ranks serve; on another rank serves
/// and calls nothing.
void with_ranks(const PartsCheckpoint& checkpoint,
                const PartsArguments& arguments,
                const std::function<void(scale::PartsRun& run)>& body,
                scale::SpillUse use = scale::SpillUse::pass);

/// Labels and probabilities of logits.
Prediction prediction_of(const at::Tensor& logits);

}  // namespace ordered_gnn::cli
