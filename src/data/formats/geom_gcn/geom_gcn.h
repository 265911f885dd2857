#pragma once
#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads a Geom-GCN folder: `out1_graph_edges.txt` (lines `from<TAB>to`) and
/// `out1_node_feature_label.txt` (lines `id<TAB>features<TAB>label`), plain or
/// gzipped, each with one header line, node lines in any order. Blank lines
/// are skipped. The ids must be 0 .. N-1, each once; label -1 = unlabelled.
///
/// Features come in one of two forms, told apart once per file:
///   * A header without `feature_amount:K`: comma-separated values, as many in
///     every row as in the first.
///   * A header with it: comma-separated indices of the features that are 1
///     (an empty field has none, a repeated index counts once). The width is
///     max(K, largest index + 1), because published headers are off by one.
///     Only when the first row has exactly K > 2 fields, all 0 or 1, is the
///     file read as values all the same: as indices they would be repeats.
///
/// Features are kept as sparse rows when at most a quarter of them is not
/// zero. Splits are the published `.npz` files, see geom_gcn_splits.h, looked
/// for in `options.split_folders`, then in the folder, then in `../../splits`.
///
/// @throws Error as "file:line: why" at the first bad row.
RawDataset load_geom_gcn(const std::filesystem::path& folder,
                         const LoadOptions& options = {});

/// True when the folder holds either of the two files.
bool is_geom_gcn_folder(const std::filesystem::path& folder);

}  // namespace ordered_gnn::data
