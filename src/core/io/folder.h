#pragma once
#include <filesystem>
#include <vector>

namespace ordered_gnn::core {

/// What is directly in a folder, sorted: systems list it in no order.
/// @throws Error naming the folder when it cannot be listed.
std::vector<std::filesystem::path> entries_of(
    const std::filesystem::path& folder);

/// The same, of a folder that need not be there: what can be listed of it.
std::vector<std::filesystem::path> entries_if_any(
    const std::filesystem::path& folder);

}  // namespace ordered_gnn::core
