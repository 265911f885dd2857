#include "lab/reproduce/recipes.h"

#include <algorithm>

#include "lab/runs/recipe.h"
#include "lab/runs/recipes.h"

namespace ordered_gnn::lab {
namespace {

bool is_wanted(const LoadedRecipe& recipe, const ReproductionOptions& options) {
  const std::vector<std::string>& wanted = options.datasets;
  return wanted.empty() ||
         std::find(wanted.begin(), wanted.end(), recipe.options.data.data) !=
             wanted.end() ||
         std::find(wanted.begin(), wanted.end(), recipe.stem) != wanted.end();
}

// Column of the table that the recipe is for: that of its dataset, or a setting
// that its name starts with. What is in no column comes last.
size_t place_in(const std::string& table, const LoadedRecipe& recipe) {
  size_t place = 0;
  std::string first_system;
  for (const PublishedEntry& entry : published_values()) {
    if (entry.table != table) continue;
    if (first_system.empty()) first_system = entry.system;
    if (entry.system != first_system) break;
    if (entry.column == recipe.options.data.data ||
        core::starts_with(recipe.stem, entry.column + "-")) {
      return place;
    }
    ++place;
  }
  return place;
}

}  // namespace

std::vector<LoadedRecipe> recipes_in(const std::string& folder,
                                     const std::string& table,
                                     const ReproductionOptions& options) {
  std::vector<LoadedRecipe> recipes;
  for (const std::string& name : recipe_names_in(options.recipes, folder)) {
    LoadedRecipe recipe;
    recipe.name = name;
    recipe.stem = name.substr(name.rfind('/') + 1);
    const RecipeChain chain =
        options.recipes.empty()
            ? read_builtin_chain(name)
            : read_chain(options.recipes / (name + ".json"));
    recipe.options = run_options_from_json(recipe_of(chain));
    recipe.searched = !chain.documents.front().sweep.empty();
    if (is_wanted(recipe, options)) recipes.push_back(std::move(recipe));
  }
  std::stable_sort(recipes.begin(), recipes.end(),
                   [&](const LoadedRecipe& a, const LoadedRecipe& b) {
                     return place_in(table, a) < place_in(table, b);
                   });
  return recipes;
}

std::optional<LoadedRecipe> take_recipe(const std::string& name,
                                        const ReproductionOptions& options) {
  const std::string folder = name.substr(0, name.rfind('/'));
  for (const LoadedRecipe& recipe : recipes_in(folder, folder, options)) {
    if (recipe.name == name) return recipe;
  }
  return std::nullopt;
}

PlannedCell planned_cell(const LoadedRecipe& recipe, const std::string& row,
                         const std::string& column) {
  PlannedCell cell;
  cell.options = recipe.options;
  cell.row = row;
  cell.column = column;
  cell.recipe = recipe.name;
  cell.searched = recipe.searched;
  return cell;
}

std::string before_last_dash(const std::string& stem) {
  return stem.substr(0, stem.rfind('-'));
}

}  // namespace ordered_gnn::lab
