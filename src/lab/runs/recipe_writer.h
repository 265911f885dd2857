#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// The file that write_recipe() changes for a recipe of this path.
std::filesystem::path recipe_target(const std::filesystem::path& path);

/// Writes a recipe. One that is in a file with "for" (see RecipeDocument), or
/// could be, takes the place of the one there: its comments, and of its options
/// those that differ from what its base and the file say. Which splits to train
/// stays as it was there, for that is no part of a setting. Any other becomes a
/// file of its own, whole.
///
/// Programs that write into one folder at a time wait for each other.
/// @throws Error naming the file.
void write_recipe(const std::filesystem::path& path, const Json& recipe);

/// A file of recipes as text: a line for every key, and in the objects below as
/// much in a line as 100 columns hold.
std::string recipe_text(const nlohmann::ordered_json& object);

}  // namespace ordered_gnn::lab
