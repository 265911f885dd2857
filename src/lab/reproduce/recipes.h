#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/reproduce/plan.h"

namespace ordered_gnn::lab {

/// A recipe of an experiment, read.
struct LoadedRecipe {
  std::string name;  ///< "table2/texas"
  std::string stem;  ///< "texas"
  RunOptions options;
  bool searched = false;  ///< whether a sweep found it, see RecipeDocument
};

/// Recipes of a folder of recipes/ that are for the wanted datasets, in the
/// order of the columns of a table of the paper, then by name. A dataset is
/// meant by its name or by the stem of the recipe.
/// @throws Error for a recipe that cannot be read.
std::vector<LoadedRecipe> recipes_in(const std::string& folder,
                                     const std::string& table,
                                     const ReproductionOptions& options);

/// One of them; nothing when there is none of that name for those datasets.
std::optional<LoadedRecipe> take_recipe(const std::string& name,
                                        const ReproductionOptions& options);

/// A number to be that this recipe gives.
PlannedCell planned_cell(const LoadedRecipe& recipe, const std::string& row,
                         const std::string& column);

/// "cora-32" -> "cora": what a recipe is for, without the variant.
std::string before_last_dash(const std::string& stem);

}  // namespace ordered_gnn::lab
