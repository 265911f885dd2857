#include "lab/reproduce/systems_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/systems.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

const LoadedRecipe* recipe_for_column(const std::vector<LoadedRecipe>& list,
                                      const std::string& stem) {
  const auto found = std::find_if(
      list.begin(), list.end(),
      [&](const LoadedRecipe& recipe) { return recipe.stem == stem; });
  return found == list.end() ? nullptr : &*found;
}

// The paper's row of GCNII is the better of GCNII and GCNII*, which is the
// latter on these graphs.
bool is_better_with_star(const std::string& stem) {
  return stem == "texas" || stem == "wisconsin" || stem == "cornell";
}

}  // namespace

SystemsPlan::SystemsPlan(const std::string& folder, std::string table,
                         bool with_own, const ReproductionOptions& options,
                         ExperimentPlan& plan)
    : table_(std::move(table)),
      with_own_(with_own),
      options_(options),
      plan_(plan),
      columns_(recipes_in(folder, table_, options)) {}

void SystemsPlan::add_recipes() {
  for (const LoadedRecipe& column : columns_) {
    add_cell(system_label(column.options.model, table_), column, column);
  }
}

void SystemsPlan::add_model(const std::string& model) {
  core::parse_name("model", model, model_names());
  const std::vector<LoadedRecipe> own = recipes_of(model);
  bool borrows = false;
  for (const LoadedRecipe& column : columns_) {
    const LoadedRecipe* const found = recipe_for_column(own, column.stem);
    LoadedRecipe recipe = found == nullptr ? column : *found;
    borrows |= found == nullptr && recipe.options.model != model;
    if (found == nullptr) recipe.options.model = model;
    add_cell(system_label(model, table_), recipe, column);
  }
  if (borrows) borrowers_.push_back(model);
}

void SystemsPlan::add_system(const SystemRow& row) {
  add_row(row, recipes_of(row.folder), "systems/" + row.folder);
}

void SystemsPlan::add_our_settings() {
  const std::vector<LoadedRecipe> tuned = recipes_in("tuned", table_, options_);
  if (tuned.empty()) return;
  add_row({kOurSettings, "tuned"}, tuned, "tuned");
  for (PlannedCell& cell : plan_.cells) {
    if (cell.row != kOurSettings) continue;
    cell.published = published_for(cell.options, table_, kOrderedGnn,
                                   cell.options.data.data);
  }
}

void SystemsPlan::add_row(const SystemRow& row,
                          const std::vector<LoadedRecipe>& recipes,
                          const std::string& folder) {
  for (const LoadedRecipe& column : columns_) {
    const LoadedRecipe* const found = recipe_for_column(recipes, column.stem);
    add_cell(row.label, found == nullptr ? column : *found, column);
    if (found != nullptr) continue;
    PlannedCell& cell = plan_.cells.back();
    cell.recipe.clear();
    cell.measured.reset();
    cell.unable =
        row.folder.empty()
            ? fmt::format("this version has no model for {}", row.label)
            : fmt::format("there is no recipe {}/{}", folder, column.stem);
  }
}

bool SystemsPlan::has_recipes_of(const std::string& folder) const {
  return !recipes_of(folder).empty();
}

void SystemsPlan::add_notes() {
  if (borrowers_.empty()) return;
  plan_.notes.push_back(fmt::format(
      "No settings of their own here, so with the data treatment and the "
      "settings of the recipe, which were tuned for Ordered GNN: {}.",
      fmt::join(borrowers_, ", ")));
}

std::vector<LoadedRecipe> SystemsPlan::recipes_of(
    const std::string& folder) const {
  if (!with_own_ || folder.empty()) return {};
  std::vector<LoadedRecipe> recipes =
      recipes_in("systems/" + folder, table_, options_);
  if (folder != "gcnii") return recipes;
  for (LoadedRecipe& star :
       recipes_in("systems/gcnii_star", table_, options_)) {
    if (!is_better_with_star(star.stem)) continue;
    for (LoadedRecipe& recipe : recipes) {
      if (recipe.stem == star.stem) recipe = std::move(star);
    }
  }
  return recipes;
}

void SystemsPlan::add_cell(const std::string& row, const LoadedRecipe& recipe,
                           const LoadedRecipe& column) {
  PlannedCell cell;
  cell.options = recipe.options;
  cell.row = row;
  cell.column = column.stem;
  cell.recipe = recipe.name;
  const std::string& data = cell.options.data.data;
  cell.published = published_for(cell.options, table_, row, data);
  if (table_ == "table2" && row == kOrderedGnn) {
    cell.measured = published_for(cell.options, table_, kMeasured, data);
  }
  if (first_row_.empty()) first_row_ = row;
  if (row != first_row_) cell.against = first_row_;
  plan_.cells.push_back(std::move(cell));
}

}  // namespace ordered_gnn::lab
