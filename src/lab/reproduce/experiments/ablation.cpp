#include <fmt/format.h>

#include <map>

#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/recipes.h"

namespace ordered_gnn::lab {

void plan_ablation(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Ablation: the ladder of gates";
  const std::map<Gating, std::string> rungs = {
      {Gating::none, "bare GNN"},
      {Gating::simple, "+ simple gating"},
      {Gating::ordered, "++ ordered gating"},
      {Gating::softor, "+++ SOFTOR"}};
  std::string before;
  for (const auto& [gating, label] : rungs) {
    for (const LoadedRecipe& recipe :
         recipes_in("ablation", "ablation", options)) {
      if (recipe.options.network.gating != gating) continue;
      PlannedCell cell =
          planned_cell(recipe, label, before_last_dash(recipe.stem));
      cell.published =
          published_for(cell.options, "ablation", label, cell.column);
      cell.against = before;
      const std::string note =
          fmt::format("{}: {}, {} layers.", cell.column, cell.options.data.data,
                      cell.options.network.layers);
      if (before.empty()) plan.notes.push_back(note);
      plan.cells.push_back(std::move(cell));
    }
    before = label;
  }
}

}  // namespace ordered_gnn::lab
