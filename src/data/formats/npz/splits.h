#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/npy/npz.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// The arrays that read_npz_splits() knows, for errors.
inline constexpr const char* kNpzSplitArrays =
    "train_mask, val_mask and test_mask, the same with _masks, or node ids in "
    "train, val (or valid) and test";

/// Reads the splits of an `.npz` in whichever known way it has them:
///   train_mask, val_mask, test_mask (Geom-GCN) or train_masks, val_masks,
///     test_masks (the heterophily benchmarks, ours): [S, N], or for one split
///     [N] or [N, 1], bool or 0/1
///   train, val, test: node ids [size] or [S, size], integers in any order;
///     where they are bool, masks as above
/// `valid` may stand for `val`. Other arrays are not read; nodes may be in no
/// part.
/// @throws Error naming the file and the array: when there is none of these
///         (listing those there are), for a shape or an id that does not fit
///         the N nodes, and for a node that a list of ids has twice.
std::vector<Split> read_npz_splits(const core::NpzReader& archive,
                                   int64_t num_nodes);

}  // namespace ordered_gnn::data
