#include <algorithm>

#include "core/names.h"
#include "lab/reproduce/experiments.h"
#include "lab/reproduce/systems_plan.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

const std::vector<SystemRow>& other_systems() {
  static const std::vector<SystemRow> rows = {
      {"SGC", "sgc"},
      {"APPNP", "appnp"},
      {"ResGCN", "resgcn"},
      {"IncepGCN", "incepgcn"},
      {"LINK", "link"},
      {"label propagation", "label_propagation"},
      {"UniMP", "unimp"},
      {"gated GNN", "gated_gnn"},
      {"bare GNN", "bare_gnn"},
      {"MLP + C&S", "mlp_correct_smooth"},
      {"GCN + C&S", "gcn_correct_smooth"},
      {"Ordered GNN, gcn", "ordered_gnn_gcn"},
      {"Ordered GNN, gat", "ordered_gnn_gat"},
      {"Ordered GNN, sum", "ordered_gnn_sum"},
      {"Ordered GNN, max", "ordered_gnn_max"},
      {"Ordered GNN, signed", "ordered_gnn_signed"},
  };
  return rows;
}

// Names of models that are rows of other tables stand for nothing here, so
// that one list can choose the rows of several experiments.
std::vector<SystemRow> wanted_systems(const std::vector<std::string>& names) {
  std::vector<std::string> known = model_names();
  for (const SystemRow& row : other_systems()) known.push_back(row.folder);
  for (const std::string& name : names) core::parse_name("system", name, known);
  std::vector<SystemRow> wanted;
  for (const SystemRow& row : other_systems()) {
    if (names.empty() ||
        std::find(names.begin(), names.end(), row.folder) != names.end()) {
      wanted.push_back(row);
    }
  }
  return wanted;
}

}  // namespace

void plan_systems(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Systems that Table 2 does not have";
  plan.notes.emplace_back(
      "Ordered GNN has the paper's settings and mean aggregation; the others "
      "have those of recipes/systems, which name their source. C&S is Correct "
      "& Smooth; what follows \"Ordered GNN,\" is its aggregation.");
  const std::vector<SystemRow> rows = wanted_systems(options.models);
  SystemsPlan systems("table2", "table2", /*with_own=*/true, options, plan);
  const bool any = std::any_of(
      rows.begin(), rows.end(),
      [&](const SystemRow& row) { return systems.has_recipes_of(row.folder); });
  if (!any) return;
  systems.add_recipes();
  for (const SystemRow& row : rows) systems.add_system(row);
  for (PlannedCell& cell : plan.cells) {
    cell.published.reset();
    cell.measured.reset();
  }
}

}  // namespace ordered_gnn::lab
