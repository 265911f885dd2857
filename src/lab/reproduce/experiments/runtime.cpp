#include <fmt/format.h>

#include <array>

#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/recipes.h"

namespace ordered_gnn::lab {
namespace {

struct TimedSetting {
  const char* column;  ///< of the paper's table
  const char* recipe;
  int64_t layers;
};

ReportTable timing_table(const ExperimentResult& result) {
  ReportTable table(
      {column_heading(result), "ours, ms", "paper, ms", "paper / ours"});
  for (const CellResult& cell : result.cells) {
    const bool both = cell.status == CellStatus::done && cell.published;
    table.add({cell.column, cell_text(&cell, "ms"),
               published_text(cell.published, "ms"),
               both ? fmt::format("{:.2f}",
                                  cell.published->mean / describe(cell).mean)
                    : ""});
  }
  return table;
}

std::string timing_markdown(const ExperimentResult& result) {
  return captioned("Time of an epoch:", timing_table(result));
}

}  // namespace

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
    PlannedCell cell = planned_cell(*recipe, kOrderedGnn, setting.column);
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

ExperimentReport runtime_report() {
  ExperimentReport report;
  report.column_heading = "setting";
  report.comparison = &timing_table;
  report.markdown = &timing_markdown;
  return report;
}

}  // namespace ordered_gnn::lab
