#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// The epochs of a `metrics.jsonl`, in order: objects that have all columns of
/// write_curves(), numbers or null.
///
/// Broken lines are left out: they cost their epochs and not the rest. A last
/// one is what a killed run leaves and nothing to tell of.
///
/// @param broken  gets a message with file and line for each of the others.
/// @throws Error when the file cannot be read.
std::vector<Json> read_metrics(const std::filesystem::path& metrics,
                               std::vector<std::string>* broken = nullptr);

/// Writes `split-K/curves.csv` beside every `split-K/metrics.jsonl` in the
/// folder of a run: one row per epoch with the columns epoch, loss, lr,
/// train_accuracy, val_accuracy, test_accuracy, val_macro_f1 and best_epoch,
/// each number with all its digits. A score that is not a number, as that of
/// an empty set of nodes, is an empty field.
///
/// Splits without metrics have not begun and are passed over.
///
/// @return  what read_metrics() says of broken lines.
/// @throws Error as read_metrics() does, and naming the folder when it is
///         missing or has no metrics at all.
std::vector<std::string> write_curves(const std::filesystem::path& run_folder);

}  // namespace ordered_gnn::lab
