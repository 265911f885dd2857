#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "data/graph_source.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads a folder of comma-separated files, plain or gzipped, each with the
/// header given here and its lines in any order:
///   edges.csv            source,target[,weight]  directed unless dataset.json
///                                              says otherwise
///   labels.csv           node,label            optional
///   features.csv         node,<feature>,...    one column per feature
///   sparse_features.csv  node,feature,value    feature numbers from 0; what
///                                              is not listed is zero
///   masks.csv            node,split_0,...      optional; cells train, val,
///                                              test or empty
///   dataset.json         optional: what tables cannot say, see below
///
/// A field may be in quotes: "a ""b"", c"; line breaks inside are not read.
/// Blank lines are skipped.
///
/// **Nodes** are those of labels.csv, or of features.csv when there is no
/// labels.csv; one of them must be there, and every other file may name these
/// nodes only. When their ids are exactly the numbers 0 .. N-1 they are the
/// nodes' numbers. Otherwise ids are texts, nodes are numbered in order of
/// appearance and `node_names` keeps the ids.
///
/// **Weights** of edges are finite numbers of 0 or more, a cell for every edge.
/// Any other column of edges.csv is refused, one that names a type or relation
/// with what to do instead.
///
/// **Labels**: an empty cell or -1 is an unlabelled node. When all others are
/// whole numbers these are the classes (0 .. largest, or `num_classes`);
/// otherwise they are names, and classes are numbered in the order of
/// `class_names` or, without them, of the sorted names.
///
/// **Features**: every node needs a row in features.csv. Without dataset.json
/// a matrix of which at most a quarter is not zero becomes sparse rows. With
/// neither feature file the node ids are the features, with a note.
///
/// **dataset.json** holds one object; all keys are optional: `name`,
/// `directed` (false: each undirected edge is stored once), `features`
/// ("dense", "sparse" or "identity"), `num_features` (of sparse ones),
/// `num_classes`, `class_names`, `node_names` (when ids are numbers),
/// `split_set`, `treatment` (`direction`, `self_loops`, `features` as options
/// spell them), `notes`; `format` and `version` mark folders of ours.
///
/// @throws Error as "file:line: why"; for a wrong header with the expected and
///         the found one; naming the file that is missing.
RawDataset load_csv_dataset(const std::filesystem::path& folder,
                            const LoadOptions& options = {});

/// The same piece by piece, where features are dense: as dataset.json says, or
/// because columns of a table become so, which are fitted on all rows, so that
/// the features are in memory and edges alone are not. What else is wrong shows
/// when edges and features are walked. Ids that are texts stay with the source
/// and are no node names.
/// @param why_not  gets the reason where it returns null.
std::unique_ptr<GraphSource> open_csv_dataset(
    const std::filesystem::path& folder, const LoadOptions& options,
    std::string& why_not);

/// True when the folder holds edges.csv or labels.csv, plain or gzipped.
bool is_csv_folder(const std::filesystem::path& folder);

/// Writes a folder that load_csv_dataset() reads back bit for bit; only the
/// list of source files is not kept. Node names that cannot be ids (repeated,
/// empty, with a line break, or the numbers 0 .. N-1) go to dataset.json, class
/// names always do.
///
/// The folder appears when it is complete. A folder written before is replaced;
/// one that holds anything else is refused and left alone.
/// @throws Error when the dataset is not valid or the folder cannot be written.
void write_csv_dataset(const std::filesystem::path& folder,
                       const RawDataset& raw);

/// Checks that write_csv_dataset() may write there: nothing is there, or a
/// folder of ours with nothing else in it.
/// @throws Error saying what is in the way.
void require_csv_target(const std::filesystem::path& folder);

}  // namespace ordered_gnn::data
