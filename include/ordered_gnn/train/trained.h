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
  std::string dataset;                   ///< name of its data
  std::string fingerprint;               ///< of its data
  bool is_own_model = false;             ///< the caller's, not of the table

  /// Writes a checkpoint: safetensors with metadata `config`, `shape`,
  /// `class_names`, `result`, `format`, `version` and `commit`. Atomic.
  /// @throws Error when the file cannot be written.
  void save(const std::filesystem::path& file) const;
};

/// Builds the model that a checkpoint describes. Of its result there are split,
/// seed, best epoch and scores; the rest is 0.
/// @throws Error naming the file when it is damaged, is no checkpoint of this
///         program, its tensors do not fit its own description, or its model
///         was the caller's own.
Trained load_trained(const std::filesystem::path& file);

/// The same for a checkpoint of a model of the caller's own: copies the
/// parameters into `model`, which the result holds.
/// @throws Error naming the file and the tensor that does not fit.
Trained load_trained(const std::filesystem::path& file,
                     const std::shared_ptr<NodeModel>& model);

/// How to read a graph for a trained model: the data it was trained on, or
/// `other` (a name, a path or synthetic:...) with the treatment that the model
/// has learnt with, its format and its splits as they come.
DataOptions data_for(const Trained& trained, const std::string& other = "");

/// The data with its features in the order that the model has learnt, where
/// both have names: columns may stand in any order. Data without names, or of a
/// model without, is taken as it is.
/// @param policy  fill: a missing feature is 0, an extra one is left out.
/// @throws Error naming the features that are missing or extra.
NodeDataset match_features(const Trained& trained, NodeDataset data,
                           MissingColumns policy = MissingColumns::error);

/// @param where  what the message begins with, the checkpoint's file for one.
/// @throws Error unless the data has the features (and, when it has labels, no
///         more classes than) the model was trained on, and for models with
///         parameters per node as many nodes.
void require_fit(const Trained& trained, const NodeDataset& data,
                 const std::filesystem::path& where = "the trained model");

}  // namespace ordered_gnn
