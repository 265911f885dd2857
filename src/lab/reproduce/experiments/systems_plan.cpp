#include "lab/reproduce/experiments/systems_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/result.h"
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

}  // namespace

std::string system_folder(const std::string& system) {
  return "systems/" + system;
}

std::vector<SystemRow> rows_named(const std::vector<SystemRow>& rows,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> known = model_names();
  std::vector<SystemRow> wanted;
  for (const SystemRow& row : rows) {
    known.push_back(row.folder.substr(row.folder.rfind('/') + 1));
    if (names.empty() ||
        std::find(names.begin(), names.end(), known.back()) != names.end()) {
      wanted.push_back(row);
    }
  }
  for (const std::string& name : names) core::parse_name("system", name, known);
  return wanted;
}

SystemsPlan::SystemsPlan(const std::string& folder, std::string table,
                         std::vector<SystemRow> rows,
                         const ReproductionOptions& options,
                         ExperimentPlan& plan)
    : table_(std::move(table)),
      rows_(std::move(rows)),
      options_(options),
      plan_(plan),
      columns_(recipes_of(folder)) {}

bool SystemsPlan::has_row_recipes() {
  return std::any_of(rows_.begin(), rows_.end(), [&](const SystemRow& row) {
    return !recipes_of(row.folder).empty();
  });
}

void SystemsPlan::add_recipes() {
  for (const LoadedRecipe& column : columns_) {
    SystemRow row;
    row.label = system_label(column.options.model, table_);
    add_cell(row, column, column);
  }
}

void SystemsPlan::add_rows() {
  for (const SystemRow& row : rows_) add_row(row);
}

void SystemsPlan::add_our_settings() {
  const SystemRow row = {kOurSettings, "tuned", {}, kOrderedGnn};
  if (!recipes_of(row.folder).empty()) add_row(row);
}

void SystemsPlan::add_model(const std::string& model) {
  core::parse_name("model", model, model_names());
  const SystemRow row = row_of(model);
  bool borrows = false;
  for (const LoadedRecipe& column : columns_) {
    const LoadedRecipe* const found = find_recipe(row, column.stem);
    LoadedRecipe recipe = found == nullptr ? column : *found;
    borrows |= found == nullptr && recipe.options.model != model;
    if (found == nullptr) recipe.options.model = model;
    add_cell(row, recipe, column);
  }
  if (borrows) borrowers_.push_back(model);
}

void SystemsPlan::add_wanted(bool ours) {
  if (options_.models.empty()) {
    add_recipes();
    if (ours) add_our_settings();
  }
  for (const std::string& model : options_.models) {
    add_model(model);
    if (ours && model == kOrderedGnnModel) add_our_settings();
  }
  if (borrowers_.empty()) return;
  plan_.notes.push_back(fmt::format(
      "No settings of their own here, so with the data treatment and the "
      "settings of the recipe, which were tuned for Ordered GNN: {}.",
      fmt::join(borrowers_, ", ")));
}

const std::vector<LoadedRecipe>& SystemsPlan::recipes_of(
    const std::string& folder) {
  const auto known = recipes_.find(folder);
  if (known != recipes_.end()) return known->second;
  return recipes_.emplace(folder, recipes_in(folder, table_, options_))
      .first->second;
}

const LoadedRecipe* SystemsPlan::find_recipe(const SystemRow& row,
                                             const std::string& stem) {
  if (row.folder.empty()) return nullptr;
  const auto other = row.other_folders.find(stem);
  const LoadedRecipe* const found =
      other == row.other_folders.end()
          ? nullptr
          : recipe_for_column(recipes_of(other->second), stem);
  return found != nullptr ? found
                          : recipe_for_column(recipes_of(row.folder), stem);
}

SystemRow SystemsPlan::row_of(const std::string& model) const {
  const std::string folder = system_folder(model);
  const auto known =
      std::find_if(rows_.begin(), rows_.end(),
                   [&](const SystemRow& row) { return row.folder == folder; });
  if (known != rows_.end()) return *known;
  return {system_label(model, table_), rows_.empty() ? "" : folder};
}

void SystemsPlan::add_row(const SystemRow& row) {
  for (const LoadedRecipe& column : columns_) {
    const LoadedRecipe* const found = find_recipe(row, column.stem);
    add_cell(row, found == nullptr ? column : *found, column);
    if (found != nullptr) continue;
    PlannedCell& cell = plan_.cells.back();
    cell.recipe.clear();
    cell.unable =
        fmt::format("there is no recipe {}/{}", row.folder, column.stem);
  }
}

void SystemsPlan::add_cell(const SystemRow& row, const LoadedRecipe& recipe,
                           const LoadedRecipe& column) {
  PlannedCell cell = planned_cell(recipe, row.label, column.stem);
  const std::string& data = cell.options.data.data;
  cell.published = published_for(
      cell.options, table_,
      row.published_as.empty() ? row.label : row.published_as, data);
  if (row.label == kOrderedGnn) {
    cell.measured = published_for(cell.options, table_, kMeasured, data);
  }
  if (first_row_.empty()) first_row_ = row.label;
  if (row.label != first_row_) cell.against = first_row_;
  plan_.cells.push_back(std::move(cell));
}

}  // namespace ordered_gnn::lab
