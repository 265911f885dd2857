#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn::lab {

/// A file of `recipes/` that is part of the program, so that it is at hand
/// wherever the program is.
struct BuiltinRecipeFile {
  std::string name;  ///< path in recipes/ without ".json": "table2"
  std::string text;  ///< the file as it is
};

/// All of them, sorted by name; made when the program is built.
const std::vector<BuiltinRecipeFile>& builtin_recipe_files();

/// Names of the built-in recipes, sorted: "table2/texas" is that for texas in
/// the file "table2". Those under "search/" are sweep files, all others are for
/// `ognn train --config`.
const std::vector<std::string>& builtin_recipe_names();

/// The name of a built-in recipe that is spelled "table2/texas",
/// "table2/texas.json" or "recipes/table2/texas.json"; empty when there is
/// none.
std::string find_recipe(const std::string& spelling);

/// Names of the recipes in a folder of `root`, which is laid out as recipes/,
/// sorted: those of the file "FOLDER.json" and the files of the folder itself.
/// @param root  empty: the built-in ones.
/// @throws Error naming a file that is no recipe.
std::vector<std::string> recipe_names_in(const std::filesystem::path& root,
                                         const std::string& folder);

}  // namespace ordered_gnn::lab
