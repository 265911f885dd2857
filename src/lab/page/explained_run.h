#pragma once
#include <filesystem>

#include "lab/page/explained_model.h"

namespace ordered_gnn::lab {

/// Explains a checkpoint on the data that it was trained on.
/// @throws Error as load_trained(), load_training_data(), match_classes()
///         and explain_checkpoint() do.
ExplainedModel explained_run(const std::filesystem::path& checkpoint,
                             const ExplainOptions& options);

}  // namespace ordered_gnn::lab
