#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Name of the split set read by load_geom_gcn_splits().
inline constexpr const char* kGeomGcnSplitSet = "geom-gcn";

/// File name of split k: `<prefix>_split_0.6_0.2_<k>.npz`.
std::string geom_gcn_split_name(const std::string& prefix, int64_t k);

/// The split files of `prefix` in the first of `folders` that has any, in
/// order k = 0, 1, ...; empty when none has.
/// @throws Error naming the missing file when the numbers have a gap.
std::vector<std::filesystem::path> find_geom_gcn_splits(
    const std::vector<std::filesystem::path>& folders,
    const std::string& prefix);

/// Reads `train_mask`, `val_mask` and `test_mask`, each [N] or [N, 1], bool or
/// an integer type holding 0 and 1. Nodes may be in no part.
/// @throws Error naming the file and the mask for a wrong length (got and
///         expected), a value other than 0 and 1, an overlap, an empty part.
Split load_geom_gcn_split(const std::filesystem::path& file, int64_t num_nodes);

/// Fills the dataset's splits from the first of `folders` that has split
/// files; notes where it looked when none has and `required` is false.
/// @throws Error as above, and when none has but `required` is true.
void attach_geom_gcn_splits(RawDataset& raw,
                            const std::vector<std::filesystem::path>& folders,
                            const std::string& prefix, bool required);

}  // namespace ordered_gnn::data
