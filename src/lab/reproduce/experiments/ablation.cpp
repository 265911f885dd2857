#include <fmt/format.h>

#include <map>

#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/recipes.h"

namespace ordered_gnn::lab {
namespace {

// "homophily: citeseer, 8 layers.", "minesweeper: 12 layers."
std::string setting_note(const PlannedCell& cell) {
  const std::string& data = cell.options.data.data;
  return fmt::format("{}: {}{} layers.", cell.column,
                     data == cell.column ? "" : data + ", ",
                     cell.options.network.layers);
}

}  // namespace

void plan_ladder(const std::string& folder, const ReproductionOptions& options,
                 ExperimentPlan& plan) {
  const std::map<Gating, std::string> rungs = {
      {Gating::none, "bare GNN"},
      {Gating::simple, "+ simple gating"},
      {Gating::ordered, "++ ordered gating"},
      {Gating::softor, "+++ SOFTOR"}};
  const std::vector<LoadedRecipe> recipes = recipes_in(folder, folder, options);
  std::string before;
  for (const auto& [gating, label] : rungs) {
    bool has_rung = false;
    for (const LoadedRecipe& recipe : recipes) {
      if (recipe.options.network.gating != gating) continue;
      PlannedCell cell =
          planned_cell(recipe, label, before_last_dash(recipe.stem));
      cell.published = published_for(cell.options, folder, label, cell.column);
      cell.against = before;
      if (before.empty()) plan.notes.push_back(setting_note(cell));
      plan.cells.push_back(std::move(cell));
      has_rung = true;
    }
    if (has_rung) before = label;
  }
}

void plan_ablation(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Ablation: the ladder of gates";
  plan_ladder("ablation", options, plan);
}

}  // namespace ordered_gnn::lab
