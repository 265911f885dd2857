#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/train/trained.h"
#include "train/model_state.h"

namespace ordered_gnn::training {

/// Writes the checkpoint of Trained::save() with the tensors of `state`, which
/// may be of an epoch other than that of about.model. Atomic.
void write_checkpoint(const std::filesystem::path& file, const TensorMap& state,
                      const Trained& about);

/// The options of a trained model as far as answers depend on them: what only
/// its training steps read is at its default, for it may be what the place of
/// the answer (a device, parts of a graph) does not take.
RunOptions answering_options(const RunOptions& trained);

/// What a user should know of a file without a checksum.
std::string no_checksum_note(const std::filesystem::path& file);

}  // namespace ordered_gnn::training
