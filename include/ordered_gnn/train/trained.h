#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"
#include "ordered_gnn/train/run_result.h"

namespace ordered_gnn {

/// A trained model and what it takes to use it: what train() returns and a
/// checkpoint holds.
struct Trained {
  std::shared_ptr<NodeModel> model;  ///< of the best epoch, on the CPU
  RunResult result;
  /// What it was trained with; data.treatment is what its data has had.
  RunOptions options;
  ModelShape shape;                      ///< of its data
  std::vector<std::string> class_names;  ///< empty: classes are 0 .. C-1
  /// Of its data, see NodeDataset: what a new table is matched with.
  std::vector<std::string> feature_names;
  std::vector<Column> columns;
  std::string dataset;      ///< name of its data
  std::string fingerprint;  ///< of its data
  /// Where its data, or the root of a named dataset, was when it was trained:
  /// absolute, empty when that is no path of the options.
  std::string data_path;
  /// Where that would be had it moved together with the checkpoint; filled by
  /// load_trained().
  std::string data_nearby;
  bool has_edge_weights = false;  ///< its graph had weights
  bool is_own_model = false;      ///< the caller's, not of the table
  /// Whether load_trained() could hold the file against a checksum in it. Those
  /// of earlier versions have none, so that damage to them may not be seen.
  bool is_verified = false;

  /// Writes a checkpoint: safetensors with metadata `config`, `shape`,
  /// `class_names`, `result`, `format`, `version` and `commit`, and where it
  /// applies `feature_names`, `columns` and `data_path` (the absolute path, and
  /// the path from the checkpoint's folder), and `content_sha256`, a checksum
  /// of all that. Atomic.
  /// @throws Error when the file cannot be written.
  void save(const std::filesystem::path& file) const;
};

/// Builds the model that a checkpoint describes. Of its result there are split,
/// seed, best epoch and scores; the rest is 0.
/// @throws Error naming the file when it is damaged, is no checkpoint of this
///         program, its tensors do not fit its own description or hold a NaN or
///         an infinity, or its model was the caller's own.
Trained load_trained(const std::filesystem::path& file);

/// The same for a checkpoint of a model of the caller's own: copies the
/// parameters into `model`, which the result holds.
/// @throws Error naming the file and the tensor that does not fit.
Trained load_trained(const std::filesystem::path& file,
                     const std::shared_ptr<NodeModel>& model);

/// How to read a graph for a trained model: the data it was trained on, or
/// `other` (a name, a path or synthetic:...) with the treatment that the model
/// has learnt with, its format and its splits as they come. A model that was
/// trained without edge weights ignores those of the data.
DataOptions data_for(const Trained& trained, const std::string& other = "");

/// The data with its features in the order that the model has learnt, where
/// both have names: columns may stand in any order. Data without names, or of a
/// model without, is taken as it is.
/// @param policy  fill: a missing feature is 0, an extra one is left out.
/// @throws Error naming the features that are missing or extra, and for data of
///         a table whose columns were not treated as those of the model:
///         load_dataset(data_for(trained, path)) does.
NodeDataset match_features(const Trained& trained, NodeDataset data,
                           MissingColumns policy = MissingColumns::error);

/// Data that was found, and what a user should be told of it.
struct FoundData {
  NodeDataset data;
  std::vector<std::string> notes;
};

/// Reads the data that a model was trained on, wherever the program is started:
/// the path of its options as seen from the current folder, else the same path
/// as seen from the checkpoint's folder (a project that was moved or copied as
/// a whole), else where it was during training. The first whose fingerprint is
/// that of the training counts. A file that is still in its place but has
/// another fingerprint is used with a note; another file of the same name is
/// not.
///
/// @param how  data_for(trained), where wanted with another treatment or other
///             splits; its data and data_root are those of the training.
/// @throws Error that lists where it looked, and as load_dataset() does.
FoundData load_training_data(const Trained& trained, const DataOptions& how);
FoundData load_training_data(const Trained& trained);

/// @param where  what the message begins with, the checkpoint's file for one.
/// @throws Error unless the data has the features the model was trained on, for
///         models with parameters per node the graph of the training (as many
///         nodes, and its name or its fingerprint), for models that read edge
///         weights such weights if and only if they were trained with them
///         (data that is read without its weights on purpose is fine), and,
///         where nodes are labelled, only classes that the model knows (see
///         match_classes()).
void require_fit(const Trained& trained, const NodeDataset& data,
                 const std::filesystem::path& where = "the trained model");

/// What becomes of nodes whose class a model does not know.
enum class UnknownClasses {
  refuse,
  ignore,  ///< they count as unlabelled
};

/// The data with its labels as the model counts classes, and its num_classes
/// and class_names those of the model. Classes are matched by their names.
/// Names that are the numbers 0 .. C-1 in order are the same as no names: such
/// classes are matched by number, unless the names of the model are whole
/// numbers too, as those of labels 1 and 2 are: then number 1 is the class "1".
/// Numbers for a model with other names get a note. A class that no node is of
/// may be unknown.
/// @param data  on the CPU.
/// @throws Error as require_fit() does; of unknown classes, naming the class
///         and a node that is of it, unless they are ignored: they are then
///         counted in a note.
FoundData match_classes(
    const Trained& trained, const NodeDataset& data,
    UnknownClasses unknown = UnknownClasses::refuse,
    const std::filesystem::path& where = "the trained model");

}  // namespace ordered_gnn
