#pragma once
#include <filesystem>
#include <string_view>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

/// Small things that were really made: what the seeds of targets are written
/// from, and what targets put damaged texts beside.
namespace ordered_gnn::fuzz {

/// Eight nodes, their features and two classes, all with names, one split.
NodeDataset small_dataset();

/// Options of a run on it that takes milliseconds.
RunOptions small_run();

/// The checkpoint of such a run.
core::TensorFile small_checkpoint();

/// What such a run had saved when it was stopped between two epochs.
core::TensorFile small_state();

/// Writes `intact` as `folder / name` with the input's parts (see parts.h) for
/// its metadata. Parts that have a dot in their name become files beside it.
/// @throws Error when a part is no UTF-8, which metadata must be.
std::filesystem::path write_with_metadata(const core::TensorFile& intact,
                                          std::string_view input,
                                          const std::filesystem::path& folder,
                                          const std::string& name);

}  // namespace ordered_gnn::fuzz
