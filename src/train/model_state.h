#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::training {

using TensorMap = std::map<std::string, at::Tensor>;

/// Parameters and buffers of a model by name. The tensors are the model's own.
TensorMap named_state(const NodeModel& model);

/// @throws Error naming `file` and the first tensor of `state` that the model
///         does not have or has in another shape, or that is missing.
void check_state(const NodeModel& model, const TensorMap& state,
                 const std::filesystem::path& file);

/// @throws Error naming `file` and the first tensor of `state` that holds a NaN
///         or an infinity, with which nothing can be computed.
void require_finite(const TensorMap& state, const std::filesystem::path& file);

/// Copies values into a model.
/// @throws Error naming `file` and the tensor that is missing, unknown or of
///         another shape.
void load_state(NodeModel& model, const TensorMap& state,
                const std::filesystem::path& file);

}  // namespace ordered_gnn::training
