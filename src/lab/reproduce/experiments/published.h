#pragma once
#include <optional>
#include <string>

#include "lab/reproduce/paper.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// The paper's number, which is for its datasets alone, whatever a recipe is
/// called.
std::optional<PublishedValue> published_for(const RunOptions& options,
                                            const std::string& table,
                                            const std::string& system,
                                            const std::string& column);

/// The model that the paper calls kOrderedGnn.
constexpr const char* kOrderedGnnModel = "ordered_gnn";

/// What the paper calls a model: in that table, else in any other, else the
/// model's own name. "GCNII*" and "gcnii" are one system.
std::string system_label(const std::string& model, const std::string& table);

}  // namespace ordered_gnn::lab
