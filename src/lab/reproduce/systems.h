#pragma once
#include <optional>
#include <string>

#include "lab/reproduce/reproduction.h"

namespace ordered_gnn::lab {

/// The paper's number, which is for its datasets alone, whatever a recipe is
/// called.
std::optional<PublishedValue> published_for(const RunOptions& options,
                                            const std::string& table,
                                            const std::string& system,
                                            const std::string& column);

/// What the paper calls a model: in that table, else in any other, else the
/// model's own name. "GCNII*" and "gcnii" are one system.
std::string system_label(const std::string& model, const std::string& table);

/// The model that a system of the paper is; empty when the program has none.
std::string model_of_system(const std::string& system);

}  // namespace ordered_gnn::lab
