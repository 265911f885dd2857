#pragma once
#include <string>
#include <vector>

namespace ordered_gnn::lab {

/// A recipe that is part of the program, so that it is at hand wherever the
/// program is. The files of `recipes/` become these when it is built.
struct BuiltinRecipe {
  std::string name;  ///< path in recipes/ without ".json": "table2/texas"
  std::string text;  ///< the file as it is
};

/// All of them, sorted by name. Those under "search/" are files for sweeps, all
/// others for `ognn train --config`.
const std::vector<BuiltinRecipe>& builtin_recipes();

/// Finds "table2/texas", also when it is spelled "table2/texas.json" or
/// "recipes/table2/texas.json". Null when there is none.
const BuiltinRecipe* find_recipe(const std::string& name);

}  // namespace ordered_gnn::lab
