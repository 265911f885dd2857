#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// A published dataset known by name. Paths are relative to a data root.
struct NamedDataset {
  std::string name;
  std::string summary;
  std::string format;                ///< loader, see loaders.h
  Treatment treatment;               ///< what "auto" settings stand for
  std::vector<std::string> folders;  ///< where it may be, in search order
  /// Files such a folder must hold, plain or gzipped. The loader gets the
  /// folder, or where there is one file, that file.
  std::vector<std::string> files;
  std::string split_prefix;                ///< see LoadOptions
  std::vector<std::string> split_folders;  ///< beside the data comes first
  int64_t year_classes = 0;                ///< see LoadOptions
};

/// Every dataset known by name.
const std::vector<NamedDataset>& named_datasets();

/// "_" and "-" are the same.
/// @return nullptr when there is none of that name.
const NamedDataset* find_named_dataset(const std::string& name);

/// Where named datasets are searched: `data_root` unless empty, `$OGNN_DATA`,
/// `./datasets`, and `ognn/datasets` in `$XDG_CACHE_HOME` or `~/.cache`.
std::vector<std::filesystem::path> data_roots(const std::string& data_root);

/// Choice of a dataset and how to read it, as options and recipes spell it.
struct DataOptions {
  /// A named dataset, a path to a file or folder, or `synthetic:NAME?...`. A
  /// folder that has the name of a dataset needs "./" before it.
  std::string data;
  std::string data_root;        ///< searched first for named datasets
  std::string format = "auto";  ///< loader; when set, `data` is a path
  TreatmentChoice treatment;
  /// A split set of the format, "random:48/32/20", "stratified:48/32/20x5"
  /// (see splits.h), or "none". What "auto" stands for where the files have no
  /// splits: see load_training_dataset().
  std::string split_set = "auto";
  uint64_t split_seed = 0;  ///< of random split sets
  /// A file to take the splits from instead: `.npz` of masks or node ids,
  /// `.npy` of dicts, or a masks.csv. The split set is "auto" then: of two
  /// layers of settings, the later one that names either decides.
  std::string split_file;
  /// A label of users' tables that means none, beside the empty cell.
  std::string unlabelled;
  MissingColumns missing_columns = MissingColumns::error;
  /// How to make features of a table, those of a trained model for one; empty:
  /// as the files say, or fitted on the table. No option: checkpoints hold it
  /// by itself.
  std::vector<Column> columns;
};

const std::vector<Option<DataOptions>>& data_option_table();

/// Finds and reads the dataset, fingerprint included.
/// @throws Error when a named dataset is not found, listing the files looked
///         for, the roots searched and how to set the root; naming the nearest
///         known name when the name is unknown; naming the split file when it
///         is not there or not of these nodes; as the loaders do. UsageError
///         when there are both a split file and a split set.
RawDataset resolve_dataset(const DataOptions& options);

/// resolve_dataset(), resolve_treatment() and prepare() in one.
NodeDataset load_dataset(const DataOptions& options);

/// load_dataset() of data to train on. Where the split set is "auto" and the
/// files of a path or a generated graph come without splits, one is drawn of
/// the labelled nodes, stratified:60/20/20x1 with the split seed; a note of the
/// provenance says so, and the form is written into the options, so that a
/// checkpoint's own data gets the same split again. Datasets known by name get
/// none: theirs are published. A split file becomes an absolute path there.
/// @throws Error also when too few nodes are labelled for that, saying how many
///         are in every class.
NodeDataset load_training_dataset(DataOptions& options);

/// load_dataset() with every other option at its default.
/// @param data  a name, a path or `synthetic:NAME?...`, see DataOptions.
NodeDataset load_dataset(const std::string& data);

}  // namespace ordered_gnn
