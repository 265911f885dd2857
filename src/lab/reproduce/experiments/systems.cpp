#include <string>
#include <vector>

#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/experiments/systems_plan.h"
#include "lab/runs/named_system.h"

namespace ordered_gnn::lab {
namespace {

// "SGC", "MLP + C&S", "Ordered GNN, gcn".
std::string label_of(const NamedSystem& system) {
  std::string label = system_label(system.model, "table2");
  if (system.options.contains("correct-smooth")) label += " + C&S";
  const auto aggregator = system.options.find("aggregator");
  if (aggregator != system.options.end()) {
    label += ", " + aggregator->get<std::string>();
  }
  return label;
}

// The rows but the variants of Ordered GNN.
struct OtherSystem {
  const char* name;             ///< see NamedSystem
  const char* label = nullptr;  ///< where the paper has none
};
constexpr OtherSystem kOtherSystems[] = {
    {"sgc"},
    {"appnp"},
    {"resgcn"},
    {"incepgcn"},
    {"link"},
    {"label_propagation", "label propagation"},
    {"unimp"},
    {"gated_gnn", "gated GNN"},
    {"bare_gnn"},
    {"mlp_correct_smooth"},
    {"gcn_correct_smooth"},
};

std::vector<SystemRow> other_systems() {
  std::vector<SystemRow> rows;
  for (const OtherSystem& system : kOtherSystems) {
    rows.push_back({system.label != nullptr
                        ? system.label
                        : label_of(parse_system(system.name)),
                    system_folder(system.name)});
  }
  for (const std::string& name : system_names()) {
    const NamedSystem system = parse_system(name);
    if (system.options.contains("aggregator")) {
      rows.push_back({label_of(system), system_folder(name)});
    }
  }
  return rows;
}

std::string other_systems_markdown(const ExperimentResult& result) {
  return overview_markdown(result) + standings_markdown(result) +
         pairs_markdown(result);
}

}  // namespace

void plan_systems(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Systems that Table 2 does not have";
  plan.notes.emplace_back(
      "Ordered GNN has the paper's settings and mean aggregation; the others "
      "have those of recipes/systems, which name their source. C&S is Correct "
      "& Smooth; what follows \"Ordered GNN,\" is its aggregation.");
  SystemsPlan systems("table2", "table2",
                      rows_named(other_systems(), options.models), options,
                      plan);
  if (!systems.has_row_recipes()) return;
  systems.add_recipes();
  systems.add_rows();
  for (PlannedCell& cell : plan.cells) {
    cell.published.reset();
    cell.measured.reset();
  }
}

ExperimentReport other_systems_report() {
  ExperimentReport report;
  report.ranks_rows = true;
  report.terminal = &overview_alone;
  report.markdown = &other_systems_markdown;
  return report;
}

}  // namespace ordered_gnn::lab
