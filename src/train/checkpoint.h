#pragma once
#include <filesystem>

#include "ordered_gnn/train/trained.h"
#include "train/model_state.h"

namespace ordered_gnn::training {

/// Writes the checkpoint of Trained::save() with the tensors of `state`, which
/// may be of an epoch other than that of about.model. Atomic.
void write_checkpoint(const std::filesystem::path& file, const TensorMap& state,
                      const Trained& about);

}  // namespace ordered_gnn::training
