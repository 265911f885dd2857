#include "experiment/reproduction_systems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "experiment/reproduction_experiments.h"
#include "experiment/reproduction_recipes.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::detail {
namespace {

constexpr const char* kOrderedGnnModel = "ordered_gnn";

std::string plain_letters(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

// A row to be: a system of the paper, or a model it does not have.
struct SystemRow {
  std::string label;
  std::string model;  ///< empty: the program has none
};

// A table with a column for every recipe of a folder.
class SystemsPlan {
 public:
  /// @param with_own  whether models have recipes of their own for the columns.
  SystemsPlan(const std::string& folder, std::string table, bool with_own,
              const ReproductionOptions& options, ExperimentPlan& plan)
      : table_(std::move(table)),
        with_own_(with_own),
        options_(options),
        plan_(plan),
        columns_(recipes_in(folder, table_, options)) {}

  // The recipes as they are.
  void add_recipes() {
    for (const LoadedRecipe& column : columns_) {
      add_cell(system_label(column.options.model, table_), column, column);
    }
  }

  // A model by its own recipes, or by those of the columns.
  void add_model(const std::string& model) {
    parse_name("model", model, model_names());
    const std::vector<LoadedRecipe> own = recipes_of(model);
    bool borrows = false;
    for (const LoadedRecipe& column : columns_) {
      const LoadedRecipe* const found = find_column(own, column.stem);
      LoadedRecipe recipe = found == nullptr ? column : *found;
      borrows |= found == nullptr && recipe.options.model != model;
      if (found == nullptr) recipe.options.model = model;
      add_cell(system_label(model, table_), recipe, column);
    }
    if (borrows) borrowers_.push_back(model);
  }

  // A system of the paper, as missing where there is no model or no recipe.
  void add_system(const SystemRow& row) {
    const std::vector<LoadedRecipe> own = recipes_of(row.model);
    for (const LoadedRecipe& column : columns_) {
      const LoadedRecipe* const found = find_column(own, column.stem);
      add_cell(row.label, found == nullptr ? column : *found, column);
      if (found != nullptr) continue;
      PlannedCell& cell = plan_.cells.back();
      cell.recipe.clear();
      cell.measured.reset();
      cell.unable =
          row.model.empty()
              ? fmt::format("this version has no model for {}", row.label)
              : fmt::format("there is no recipe systems/{}/{}", row.model,
                            column.stem);
    }
  }

  bool has_recipes_of(const std::string& model) const {
    return !recipes_of(model).empty();
  }

  void add_notes() {
    if (borrowers_.empty()) return;
    plan_.notes.push_back(fmt::format(
        "No settings of their own here, so with the data treatment and the "
        "settings of the recipe, which were tuned for Ordered GNN: {}.",
        fmt::join(borrowers_, ", ")));
  }

 private:
  std::vector<LoadedRecipe> recipes_of(const std::string& model) const {
    if (!with_own_ || model.empty()) return {};
    return recipes_in("systems/" + model, table_, options_);
  }

  static const LoadedRecipe* find_column(const std::vector<LoadedRecipe>& list,
                                         const std::string& stem) {
    const auto found = std::find_if(
        list.begin(), list.end(),
        [&](const LoadedRecipe& recipe) { return recipe.stem == stem; });
    return found == list.end() ? nullptr : &*found;
  }

  void add_cell(const std::string& row, const LoadedRecipe& recipe,
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

  const std::string table_;
  const bool with_own_;
  const ReproductionOptions& options_;
  ExperimentPlan& plan_;
  const std::vector<LoadedRecipe> columns_;
  std::string first_row_;
  std::vector<std::string> borrowers_;
};

void add_wanted(SystemsPlan& systems, const ReproductionOptions& options) {
  if (options.models.empty()) systems.add_recipes();
  for (const std::string& model : options.models) systems.add_model(model);
  systems.add_notes();
}

// Every system of the paper's table below Ordered GNN, when the recipes have
// settings for any of them.
void add_all_systems(SystemsPlan& systems) {
  std::vector<SystemRow> rows;
  bool any = false;
  for (const std::string& system : published_systems("table2")) {
    const std::string model = model_of_system(system);
    if (system == kMeasured || model == kOrderedGnnModel) continue;
    rows.push_back({system, model});
    any |= systems.has_recipes_of(model);
  }
  if (!any) return;
  for (const SystemRow& row : rows) systems.add_system(row);
}

}  // namespace

std::optional<PublishedValue> published_for(const RunOptions& options,
                                            const std::string& table,
                                            const std::string& system,
                                            const std::string& column) {
  if (find_named_dataset(options.data.data) == nullptr) return std::nullopt;
  return published_value(table, system, column);
}

std::string system_label(const std::string& model, const std::string& table) {
  const auto is_model = [&](const std::string& system) {
    return plain_letters(system) == plain_letters(model);
  };
  for (const std::string& system : published_systems(table)) {
    if (is_model(system)) return system;
  }
  for (const PublishedEntry& entry : published_values()) {
    if (is_model(entry.system)) return entry.system;
  }
  return model;
}

std::string model_of_system(const std::string& system) {
  for (const std::string& model : model_names()) {
    if (plain_letters(model) == plain_letters(system)) return model;
  }
  return "";
}

void plan_table2(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Table 2: homophily and heterophily";
  plan.notes.emplace_back(
      "The paper's hyper-parameters under its authors' protocol; other systems "
      "with the settings in recipes/systems, which name their source. "
      "`measured` is an independent run of the paper's settings in plain "
      "PyTorch, one seed.");
  SystemsPlan systems("table2", "table2", /*with_own=*/true, options, plan);
  add_wanted(systems, options);
  if (options.models.empty()) add_all_systems(systems);
}

void plan_tuned(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Table 2 with settings of our own";
  plan.notes.emplace_back(
      "Settings chosen by validation accuracy alone, see recipes/tuned; the "
      "paper's numbers are for its own settings.");
  SystemsPlan systems("tuned", "table2", /*with_own=*/true, options, plan);
  add_wanted(systems, options);
  for (PlannedCell& cell : plan.cells) {
    const int64_t seed = cell.options.train.seed;
    cell.seeds = {seed, seed + 1, seed + 2};
    cell.measured.reset();
  }
}

void plan_layers64(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "64 layers";
  plan.notes.emplace_back(
      "The paper gives one number per graph and no deviation; ours is over "
      "seeds of the one split.");
  SystemsPlan systems("layers64", "layers64", /*with_own=*/false, options,
                      plan);
  add_wanted(systems, options);
}

void plan_large(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Larger graphs";
  SystemsPlan systems("large", "large", /*with_own=*/false, options, plan);
  add_wanted(systems, options);
}

}  // namespace ordered_gnn::detail
