#pragma once
#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Name of the split set that others publish for these graphs: the one split
/// that Polynormer and its successors report.
inline constexpr const char* kPolynormerSplitSet = "polynormer";

/// Fills the splits from `<prefix>_split.npz`, see read_npz_splits(), in
/// `options.split_folders`, beside `file` or in a folder `splits` beside it.
/// Without such a file there are none, which a note says of datasets that have
/// a prefix.
/// @throws Error when the split set is asked for by name and not there, when a
///         part is empty, and as read_npz_splits() does.
void attach_polynormer_split(const std::filesystem::path& file,
                             const LoadOptions& options, RawDataset& raw);

}  // namespace ordered_gnn::data
