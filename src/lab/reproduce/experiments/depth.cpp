#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/recipes.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

constexpr int64_t kDepths[] = {2, 4, 8, 16, 32, 64};

// The systems of the paper's figure that go with Ordered GNN.
const std::vector<std::string> kFigureModels = {"gcn",    "gat",   "graphsage",
                                                "resgcn", "jknet", "incepgcn"};

// A cell of an experiment whose rows are numbers of layers.
PlannedCell depth_cell(const LoadedRecipe& recipe, const std::string& column) {
  return planned_cell(recipe, std::to_string(recipe.options.network.layers),
                      column);
}

void add_depths(const std::string& folder, const ReproductionOptions& options,
                ExperimentPlan& plan) {
  for (const LoadedRecipe& recipe : recipes_in(folder, "layers64", options)) {
    plan.cells.push_back(depth_cell(recipe, before_last_dash(recipe.stem)));
  }
}

void sort_by_depth(ExperimentPlan& plan) {
  std::stable_sort(plan.cells.begin(), plan.cells.end(),
                   [](const PlannedCell& a, const PlannedCell& b) {
                     return a.options.network.layers < b.options.network.layers;
                   });
}

void add_ordered_gnn(const ReproductionOptions& options, ExperimentPlan& plan) {
  add_depths("depth", options, plan);
  for (const LoadedRecipe& recipe :
       recipes_in("layers64", "layers64", options)) {
    PlannedCell cell = depth_cell(recipe, recipe.stem);
    cell.published = published_for(cell.options, "layers64", kOrderedGnn,
                                   cell.options.data.data);
    plan.cells.push_back(std::move(cell));
  }
}

// One system on one graph at every depth; DropEdge as the recipe has it.
void add_line(LoadedRecipe recipe, const std::string& system,
              ExperimentPlan& plan) {
  for (const int64_t layers : kDepths) {
    recipe.options.network.layers = layers;
    PlannedCell cell =
        depth_cell(recipe, depth_column_name({recipe.stem, system}));
    if (layers == 64) {
      cell.published = published_for(cell.options, "layers64", system,
                                     cell.options.data.data);
    }
    plan.cells.push_back(std::move(cell));
  }
}

void add_system(const std::string& model, const ReproductionOptions& options,
                ExperimentPlan& plan) {
  const std::string system = system_label(model, "layers64");
  for (LoadedRecipe& recipe :
       recipes_in("depth-systems/" + model, "layers64", options)) {
    const double rate = recipe.options.train.drop_edge;
    recipe.options.train.drop_edge = 0;
    add_line(recipe, system, plan);
    if (rate == 0) continue;
    recipe.options.train.drop_edge = rate;
    add_line(recipe, system + "+DropEdge", plan);
  }
}

void require_figure_models(const std::vector<std::string>& models) {
  for (const std::string& model : models) {
    core::parse_name("model", model, model_names());
    const bool known =
        model == kOrderedGnnModel ||
        std::count(kFigureModels.begin(), kFigureModels.end(), model) > 0;
    if (!known) {
      throw UsageError(
          fmt::format("the experiment 'depth' has no settings for {}; it has "
                      "{}, {}",
                      model, kOrderedGnnModel, fmt::join(kFigureModels, ", ")));
    }
  }
}

}  // namespace

void plan_depth(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Accuracy over depth";
  plan.notes.emplace_back(
      "The paper shows this figure without numbers; it gives numbers for 64 "
      "layers alone. Settings are the paper's for each depth, those of 64 "
      "layers its settings for 32.");
  require_figure_models(options.models);
  std::vector<std::string> models = options.models;
  if (models.empty()) {
    models = kFigureModels;
    models.insert(models.begin(), kOrderedGnnModel);
  }
  for (const std::string& model : models) {
    if (model == kOrderedGnnModel) {
      add_ordered_gnn(options, plan);
    } else {
      add_system(model, options, plan);
    }
  }
  const bool others = std::any_of(
      plan.cells.begin(), plan.cells.end(), [](const PlannedCell& cell) {
        return !depth_column(cell.column).system.empty();
      });
  if (others) {
    plan.notes.emplace_back(
        "Other systems have one setting for all depths, see "
        "recipes/depth-systems; the paper's numbers for them are of settings "
        "searched for every depth.");
  }
  sort_by_depth(plan);
}

void plan_depth_tuned(const ReproductionOptions& options,
                      ExperimentPlan& plan) {
  plan.title = "Accuracy over depth, one setting for every depth";
  plan.notes.emplace_back(
      "Nothing but the number of layers changes. Of the paper's settings for a "
      "graph, it is the one with the highest validation accuracy.");
  add_depths("depth-tuned", options, plan);
  sort_by_depth(plan);
}

}  // namespace ordered_gnn::lab
