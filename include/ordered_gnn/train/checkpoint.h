#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn {

/// Parameters and buffers of a model by name. The tensors are the model's own.
std::map<std::string, at::Tensor> named_state(const NodeModel& model);

/// @throws Error naming `file` and the first tensor of `state` that the model
///         does not have or has in another shape, or that is missing.
void check_state(const NodeModel& model,
                 const std::map<std::string, at::Tensor>& state,
                 const std::filesystem::path& file);

/// Copies values into a model.
/// @throws Error naming `file` and the tensor that is missing, unknown or of
///         another shape.
void load_state(NodeModel& model,
                const std::map<std::string, at::Tensor>& state,
                const std::filesystem::path& file);

/// A trained model and what it takes to use it.
struct Checkpoint {
  RunOptions options;
  ModelShape shape;
  std::vector<std::string> class_names;
  Json result;  ///< scores of the checkpoint's epoch; may be null
  std::shared_ptr<NodeModel> model;
};

/// Writes tensors and metadata `config`, `shape`, `class_names`, `result`,
/// `format`, `version` and `commit`. Atomic.
void save_checkpoint(const std::filesystem::path& file,
                     const std::map<std::string, at::Tensor>& state,
                     const Checkpoint& about);

/// Builds the model a file describes.
/// @throws Error naming the file when it is damaged, is no checkpoint of this
///         program, or its tensors do not fit its own description.
Checkpoint load_checkpoint(const std::filesystem::path& file);

/// @throws Error unless the data has the features (and, when it has labels, no
///         more classes than) the checkpoint was trained on.
void require_fit(const Checkpoint& checkpoint, const NodeDataset& data,
                 const std::filesystem::path& file);

}  // namespace ordered_gnn
