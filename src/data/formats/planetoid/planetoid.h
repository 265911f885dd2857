#pragma once
#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads a Planetoid dataset (Cora, CiteSeer, PubMed): the eight files
/// `ind.NAME.{x,y,tx,ty,allx,ally,graph,test.index}`, plain or gzipped. All but
/// the last are Python pickles, see core/io/pickle.h; nothing is executed.
///
/// `path` is the folder that holds them, a folder with them in `raw/`, or any
/// one of the files. `options.name` picks NAME in a folder; without it the
/// folder must hold one NAME only.
///
///   * Nodes 0 .. rows(allx)-1 have the rows of allx and ally; row i of tx and
///     ty belongs to the node on line i of test.index. x and y repeat the first
///     rows of allx and ally.
///   * Edges are all entries of the neighbour lists in `graph`, as directed
///     (node, neighbour) pairs in file order, loops and repeats included. The
///     published lists hold both directions; a note says when they do not.
///   * A node of `graph` that no other file knows (CiteSeer has 15) gets an
///     empty feature row and label -1, as does a row of labels without a 1.
///     Notes say so.
///
/// Features are sparse. Split sets: "geom-gcn" (files looked for in
/// `options.split_folders`, the folder, and `splits`, `geom-gcn/splits` beside
/// it; see geom_gcn_splits.h) and those of planetoid_splits.h. "auto" stands
/// for geom-gcn where there are files, else planetoid-public where the nodes
/// suffice.
///
/// @throws Error naming each missing file and where it is expected, or the
///         file and the row, node or line that does not fit the others.
RawDataset load_planetoid(const std::filesystem::path& path,
                          const LoadOptions& options = {});

/// True for a folder that holds such files, itself or in `raw/`, and for such a
/// file.
bool is_planetoid(const std::filesystem::path& path);

}  // namespace ordered_gnn::data
