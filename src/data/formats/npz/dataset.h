#pragma once
#include <filesystem>

#include "core/io/npy/npz.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads a dataset from one `.npz` file.
///
/// Arrays of the published heterophily benchmarks:
///   edges         [E, 2] integer
///   node_labels   [N] integer, -1 = unlabelled
///   node_features [N, F] number
///   train_masks, val_masks, test_masks  [S, N] (or [N]) bool or 0/1; all
///                 three or none
///
/// Any file may have `edge_weights` [E], numbers that are finite and 0 or more.
/// Types of edges (`edge_type`, `edge_types`) are refused; another array whose
/// name begins with `edge_` is not read, and a note says so.
///
/// Ours in addition: features as sparse rows (`features_rowptr` [N + 1],
/// `features_col`, `features_value` [entries], `features_shape` = N, F) or as
/// node ids (`features_identity` = N), and `meta.json` with what arrays cannot
/// say: format version, name, number of classes, direction, names, notes.
///
/// A file without `meta.json` is a published one: each undirected edge is
/// stored once unless the file's name ends in `_directed`, the classes are
/// 0 .. largest label, and features of which at most a quarter is not zero
/// are kept as sparse rows.
///
/// @throws Error naming the file and the array.
RawDataset load_npz_dataset(const std::filesystem::path& file,
                            const LoadOptions& options = {});

/// True for an `.npz` file that has `edges` and `node_labels`.
/// @throws Error when a file of that name is no intact archive.
bool is_npz_dataset(const std::filesystem::path& file);

/// Writes what load_npz_dataset() reads back bit for bit; only the list of
/// source files is not kept. Atomic. Stored files load at the speed of the
/// disk, deflated ones are smaller and several times slower to load.
/// @throws Error when the dataset is not valid or the file cannot be written.
void write_npz_dataset(const std::filesystem::path& file, const RawDataset& raw,
                       core::NpzWriter::Compression compression =
                           core::NpzWriter::Compression::stored);

}  // namespace ordered_gnn::data
