#pragma once
#include <string>
#include <vector>

#include "lab/reproduce/recipes.h"
#include "lab/reproduce/reproduction.h"

namespace ordered_gnn::lab {

/// A row to be: a system of the paper, or one that it does not have.
struct SystemRow {
  std::string label;
  /// Folder of its recipes in systems/, mostly its model; empty: the program
  /// has none.
  std::string folder;
};

/// Fills a plan with a table that has a column for every recipe of a folder and
/// a row for every system; each row is compared with the first.
class SystemsPlan {
 public:
  /// @param table     of the paper: its numbers, names and order of columns.
  /// @param with_own  whether systems have recipes of their own.
  /// Options and plan must outlive the object.
  SystemsPlan(const std::string& folder, std::string table, bool with_own,
              const ReproductionOptions& options, ExperimentPlan& plan);

  /// The recipes of the columns as they are.
  void add_recipes();

  /// Ordered GNN by the recipes of tuned/, beside the paper's number for it;
  /// nothing when there are none.
  void add_our_settings();

  /// A model by its own recipes, or by those of the columns.
  void add_model(const std::string& model);

  /// A system by its own recipes, as missing where there is none.
  void add_system(const SystemRow& row);

  bool has_recipes_of(const std::string& folder) const;

  /// Says which models had to borrow the settings of the columns.
  void add_notes();

 private:
  std::vector<LoadedRecipe> recipes_of(const std::string& folder) const;
  /// A row of recipes by column, as missing where there is none.
  void add_row(const SystemRow& row, const std::vector<LoadedRecipe>& recipes,
               const std::string& folder);
  void add_cell(const std::string& row, const LoadedRecipe& recipe,
                const LoadedRecipe& column);

  const std::string table_;
  const bool with_own_;
  const ReproductionOptions& options_;
  ExperimentPlan& plan_;
  const std::vector<LoadedRecipe> columns_;
  std::string first_row_;
  std::vector<std::string> borrowers_;
};

}  // namespace ordered_gnn::lab
