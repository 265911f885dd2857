#pragma once
#include <string>
#include <vector>

namespace ordered_gnn::scale {

/// What this build leaves out because a package was missing, as "METIS: ...",
/// each with what cannot be done.
std::vector<std::string> missing_features();

/// Engines between ranks that this build has, by their names.
std::vector<std::string> engines();

}  // namespace ordered_gnn::scale
