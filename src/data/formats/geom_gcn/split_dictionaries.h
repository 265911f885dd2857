#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Reads splits from an `.npy` file of Python objects, as the LINKX benchmarks
/// have them: a one-dimensional array of dicts, one for each split, with the
/// keys `train`, `valid` (or `val`) and `test`, each a list or a NumPy array of
/// node ids in any order; other keys are ignored. The objects are pickled
/// and read as core/io/pickle.h says: nothing is executed.
///
/// Nodes may be in no part.
/// @throws Error naming the file, split and part for a missing key, an id
///         outside [0, num_nodes) or a node that is there twice.
std::vector<Split> load_split_dictionaries(const std::filesystem::path& file,
                                           int64_t num_nodes);

}  // namespace ordered_gnn::data
