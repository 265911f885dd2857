#pragma once
#include <filesystem>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// The epochs of a `metrics.jsonl`, in order: objects that have all columns of
/// write_curves(), numbers or null.
///
/// A broken last line is what a killed run leaves and is left out.
///
/// @throws Error naming file and line for any other broken line.
std::vector<Json> read_metrics(const std::filesystem::path& metrics);

/// Writes `split-K/curves.csv` beside every `split-K/metrics.jsonl` in the
/// folder of a run: one row per epoch with the columns epoch, loss, lr,
/// train_accuracy, val_accuracy, test_accuracy, val_macro_f1 and best_epoch,
/// each number with all its digits. A score that is not a number, as that of
/// an empty set of nodes, is an empty field.
///
/// Splits without metrics have not begun and are passed over.
///
/// @throws Error as read_metrics() does, and naming the folder when it is
///         missing or has no metrics at all.
void write_curves(const std::filesystem::path& run_folder);

}  // namespace ordered_gnn::lab
