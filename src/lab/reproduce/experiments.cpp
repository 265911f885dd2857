#include "lab/reproduce/experiments.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "lab/reproduce/recipes.h"
#include "lab/reproduce/systems.h"

namespace ordered_gnn::lab {
namespace {

struct TimedSetting {
  const char* column;  ///< of the paper's table
  const char* recipe;
  int64_t layers;
};

}  // namespace

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
      PlannedCell cell;
      cell.options = recipe.options;
      cell.row = label;
      cell.column = before_last_dash(recipe.stem);
      cell.recipe = recipe.name;
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

void plan_gates(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Gates of trained models";
  plan.notes.emplace_back(
      "The graphs of the paper's figure, which has no numbers. One model each, "
      "on the first split.");
  for (const char* name : {"table2/citeseer", "table2/pubmed", "table2/actor",
                           "table2/texas", "depth/cora-32"}) {
    const std::optional<LoadedRecipe> recipe = take_recipe(name, options);
    if (!recipe) continue;
    PlannedCell cell;
    cell.options = recipe->options;
    cell.row = kOrderedGnn;
    cell.column = recipe->stem;
    cell.recipe = recipe->name;
    cell.splits = "0";
    cell.seeds = {cell.options.train.seed};
    plan.cells.push_back(std::move(cell));
  }
}

void plan_runtime(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Time per epoch";
  plan.notes.emplace_back(
      "Milliseconds, medians. Graphs are generated in the size of the named "
      "ones. The paper timed on an NVIDIA RTX 3090 or 2080, ours is other "
      "hardware: the times show that the model is practical, not who is "
      "faster.");
  constexpr std::array<TimedSetting, 4> kSettings = {
      {{"pubmed-8", "table2/pubmed", 8},
       {"actor-8", "table2/actor", 8},
       {"pubmed-32", "depth/pubmed-32", 32},
       {"ogbn-arxiv-4", "large/ogbn-arxiv", 4}}};
  for (const TimedSetting& setting : kSettings) {
    const std::optional<LoadedRecipe> recipe =
        take_recipe(setting.recipe, options);
    if (!recipe) continue;
    PlannedCell cell;
    cell.options = recipe->options;
    cell.row = kOrderedGnn;
    cell.column = setting.column;
    cell.recipe = recipe->name;
    cell.published =
        published_for(cell.options, "runtime", kOrderedGnn, setting.column);
    cell.options.network.layers = setting.layers;
    if (find_named_dataset(cell.options.data.data) != nullptr) {
      cell.options.data.data = "synthetic:" + cell.options.data.data;
      cell.options.data.split_set = "auto";
    }
    plan.cells.push_back(std::move(cell));
  }
}

}  // namespace ordered_gnn::lab
