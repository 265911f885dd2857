#pragma once
#include <map>
#include <string>
#include <vector>

#include "lab/reproduce/plan.h"
#include "lab/reproduce/recipes.h"

namespace ordered_gnn::lab {

/// A row to be: a system by recipes of its own.
struct SystemRow {
  std::string label;
  std::string folder;  ///< of its recipes: "systems/gcn"
  /// Folders of the graphs on which the row is another system, by the stem of
  /// the recipe. Where such a folder has no recipe, it is that of `folder`.
  std::map<std::string, std::string> other_folders = {};
  /// System of the paper whose numbers stand beside it; empty: the label.
  std::string published_as = {};
};

/// Folder of the recipes of a system, see NamedSystem.
std::string system_folder(const std::string& system);

/// The rows whose folders have one of these names; all rows without names.
/// Names of models that are rows of other tables stand for nothing here, so
/// that one list can choose the rows of several experiments.
/// @throws UsageError for a name of no row and no model, with the nearest one.
std::vector<SystemRow> rows_named(const std::vector<SystemRow>& rows,
                                  const std::vector<std::string>& names);

/// The systems of the paper's Table 2 but Ordered GNN, in its order.
const std::vector<SystemRow>& table2_systems();

/// Fills a plan with a table that has a column for every recipe of a folder and
/// a row for every system; each row is compared with the first.
class SystemsPlan {
 public:
  /// @param folder  of the recipes of the columns.
  /// @param table   of the paper: its numbers, names and order of columns.
  /// @param rows    systems with recipes of their own. Models that are no row
  ///                find theirs in systems/MODEL; with no rows at all, every
  ///                model takes the recipes of the columns.
  /// Options and plan must outlive the object.
  SystemsPlan(const std::string& folder, std::string table,
              std::vector<SystemRow> rows, const ReproductionOptions& options,
              ExperimentPlan& plan);

  /// Whether any of the rows has a recipe.
  bool has_row_recipes();

  /// The recipes of the columns as they are.
  void add_recipes();

  /// All rows, as missing where there is no recipe.
  void add_rows();

  /// Ordered GNN by the recipes of tuned/, beside the paper's number for it;
  /// nothing when there are none.
  void add_our_settings();

  /// A model by its own recipes, or by those of the columns.
  /// @throws UsageError when there is no such model.
  void add_model(const std::string& model);

  /// What --models asks for, by default the recipes as they are; says which
  /// models had to borrow the settings of the columns.
  /// @param ours  whether Ordered GNN has our settings too, below the paper's.
  void add_wanted(bool ours = false);

 private:
  /// The recipes of a folder, read once.
  const std::vector<LoadedRecipe>& recipes_of(const std::string& folder);
  /// Null when the row has none for the column.
  const LoadedRecipe* find_recipe(const SystemRow& row,
                                  const std::string& stem);
  SystemRow row_of(const std::string& model) const;
  void add_row(const SystemRow& row);
  void add_cell(const SystemRow& row, const LoadedRecipe& recipe,
                const LoadedRecipe& column);

  const std::string table_;
  const std::vector<SystemRow> rows_;
  const ReproductionOptions& options_;
  ExperimentPlan& plan_;
  std::map<std::string, std::vector<LoadedRecipe>> recipes_;
  const std::vector<LoadedRecipe> columns_;
  std::string first_row_;
  std::vector<std::string> borrowers_;
};

}  // namespace ordered_gnn::lab
