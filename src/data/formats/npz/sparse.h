#pragma once
#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads the sparse `.npz` of Shchur et al. (Amazon, Coauthor, full citation
/// graphs), whose matrices are SciPy CSR arrays:
///   adj_data, adj_indices [entries], adj_indptr [N + 1], adj_shape = N, N
///   attr_data, attr_indices [entries], attr_indptr [N + 1], attr_shape = N, F
///     or attr_matrix [N, F] dense, or neither: node ids are the features
///   labels  [N] integer, -1 = unlabelled; classes are 0 .. largest label
///
/// Entry (u, v) of the adjacency is the directed edge u -> v; stored zeros are
/// dropped and counted in a note. Other values than 1 are not read as weights
/// of edges, and a note says so. Sparse attributes stay sparse; their columns
/// may be in any order and repeats add up, as in SciPy. Every other array
/// (node_names, class_names, idx_to_*: pickled objects) is never read. There
/// are no splits in these files; sparse_splits.h says where one is looked for.
///
/// @throws Error naming the file and the array.
RawDataset load_sparse_npz(const std::filesystem::path& file,
                           const LoadOptions& options = {});

/// True for an `.npz` file that has `adj_indptr` and `labels`.
/// @throws Error when a file of that name is no intact archive.
bool is_sparse_npz(const std::filesystem::path& file);

}  // namespace ordered_gnn::data
