#pragma once
#include <filesystem>

namespace ordered_gnn {

/// Writes `split-K/curves.csv` beside every `split-K/metrics.jsonl` in the
/// folder of a run: one row per epoch with the columns epoch, loss, lr,
/// train_accuracy, val_accuracy, test_accuracy, val_macro_f1 and best_epoch,
/// each number with all its digits. A score that is not a number, as that of
/// an empty set of nodes, is an empty field.
///
/// A broken last line is what a killed run leaves and is left out. Splits
/// without metrics have not begun and are passed over.
///
/// @throws Error naming file and line for any other broken line, and naming
///         the folder when it is missing or has no metrics at all.
void write_curves(const std::filesystem::path& run_folder);

}  // namespace ordered_gnn
