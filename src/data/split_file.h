#pragma once
#include <string>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {

/// Replaces the dataset's splits by those of a file, told by its content:
///   .npz  masks or node ids, see read_npz_splits()
///   .npy  a dict of node ids per split, see load_split_dictionaries()
///   text  masks.csv of a CSV folder, see read_csv_masks(); nodes go by their
///         names where they have any
/// Parts must be disjoint and none empty; nodes may be in no part.
/// @throws Error naming the file, what was expected for these nodes and what
///         it has.
void attach_split_file(const std::string& file, RawDataset& raw);

/// @throws UsageError when both a split file and a split set are chosen; Error
///         when the file is not there, saying what to do.
void check_split_file(const DataOptions& options);

/// The same of values of options that are given together: a later layer may
/// replace the choice of an earlier one, but one layer makes one choice.
/// @throws UsageError as above.
void check_split_choice(const Json& values);

}  // namespace ordered_gnn::data
