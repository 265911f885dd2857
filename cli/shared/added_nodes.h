#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "ordered_gnn/train/node_prediction.h"
#include "shared/checkpoint_arguments.h"

namespace ordered_gnn::cli {

/// `--add-nodes`, `--add-edges` and what goes with them: nodes and edges that
/// join the graph of a checkpoint before it predicts.
struct AddedArguments {
  explicit AddedArguments(CLI::App& command);

  /// Whether anything is added.
  /// @throws UsageError for options that say how, without it.
  bool given() const;

  std::string nodes, edges, id;
  bool changed = false;
};

/// Reads the tables and predicts: the new nodes, and those that the additions
/// may change when that is asked for or there are only edges. Says on standard
/// error what was read and how much of the graph was computed, unless `quiet`.
/// @throws Error as data::read_added_nodes() and predict_added() do.
NodePrediction predict_added(const AddedArguments& arguments,
                             const LoadedCheckpoint& loaded,
                             const PredictionOptions& options, bool quiet);

}  // namespace ordered_gnn::cli
