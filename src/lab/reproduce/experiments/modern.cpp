#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/published.h"
#include "lab/reproduce/experiments/systems_plan.h"
#include "lab/runs/named_system.h"
#include "lab/runs/recipes.h"

namespace ordered_gnn::lab {
namespace {

const std::string kModern = "modern/";
// The row that all others are compared with, whose recipes are the columns.
const std::string kModernFirst = kModern + "ordered_gnn_transform";

constexpr int64_t kSeedsOfMany = 3, kSeedsOfOne = 10;

// What systems are called where neither the paper nor the model has a name.
std::string modern_label(const NamedSystem& system) {
  static const std::map<std::string, std::string> labels = {
      {"ordered_gnn_transform", "Ordered GNN, transform"},
      {"tuned_gnn_gcn", "tuned GCN"},
      {"tuned_gnn_sage", "tuned GraphSAGE"},
      {"tuned_gnn_gat", "tuned GAT"},
      {"dir_gnn", "Dir-GNN"},
      {"linkx", "LINKX"},
      {"polynormer", "Polynormer"},
      {"acm_gcn", "ACM-GCN"},
      {"fagcn", "FAGCN"},
      {"fsgnn", "FSGNN"}};
  const auto found = labels.find(system.name);
  return found != labels.end() ? found->second
                               : system_label(system.model, "table2");
}

// Every system that has recipes here, so that a file is all that a new one
// needs.
std::vector<SystemRow> modern_rows(const ReproductionOptions& options) {
  std::vector<SystemRow> rows;
  for (const std::string& name : system_names()) {
    const std::string folder = kModern + name;
    if (recipe_names_in(options.recipes, folder).empty()) continue;
    const SystemRow row = {modern_label(parse_system(name)), folder};
    rows.insert(folder == kModernFirst ? rows.begin() : rows.end(), row);
  }
  return rows;
}

// The first row stands beside whatever was asked for.
std::vector<SystemRow> wanted_rows(const ReproductionOptions& options) {
  const std::vector<SystemRow> rows = modern_rows(options);
  if (rows.empty() || rows.front().folder != kModernFirst) return {};
  std::vector<SystemRow> wanted = rows_named(rows, options.models);
  if (!wanted.empty() && wanted.front().folder != kModernFirst) {
    wanted.insert(wanted.begin(), rows.front());
  }
  return wanted;
}

bool has_column(const ExperimentPlan& plan, const std::string& column) {
  return std::any_of(
      plan.cells.begin(), plan.cells.end(),
      [&](const PlannedCell& cell) { return cell.column == column; });
}

// What was not searched has settings that someone guessed or published.
void note_unsearched(ExperimentPlan& plan) {
  std::vector<std::string> rows;
  std::map<std::string, std::vector<std::string>> columns;
  for (const PlannedCell& cell : plan.cells) {
    if (cell.searched || !cell.unable.empty()) continue;
    if (columns[cell.row].empty()) rows.push_back(cell.row);
    columns[cell.row].push_back(cell.column);
  }
  if (rows.empty()) return;
  std::vector<std::string> parts;
  for (const std::string& row : rows) {
    parts.push_back(fmt::format("{} ({})", row, fmt::join(columns[row], ", ")));
  }
  plan.notes.push_back(fmt::format(
      "NOT SEARCHED, so with a first guess or a published setting, which the "
      "recipe names: {}.",
      fmt::join(parts, "; ")));
}

void note_leaks(ExperimentPlan& plan) {
  std::vector<std::string> leaking;
  for (const char* column : {"squirrel", "chameleon"}) {
    if (has_column(plan, column)) leaking.emplace_back(column);
  }
  if (leaking.empty()) return;
  plan.notes.push_back(fmt::format(
      "Many nodes of {} (Geom-GCN) are copies of each other with one label, "
      "some in the training part and some in the test part: systems that "
      "remember nodes gain there what they would not gain elsewhere. "
      "chameleon-filtered is without them.",
      fmt::join(leaking, " and ")));
}

void give_more_seeds(ExperimentPlan& plan) {
  for (PlannedCell& cell : plan.cells) {
    cell.seeds_of_many = kSeedsOfMany;
    cell.seeds_of_one = kSeedsOfOne;
  }
}

std::string seconds_of_run(const CellResult* cell) {
  if (!is_done(cell)) return "";
  double seconds = 0;
  for (const CellRun& run : cell->runs) seconds += run.seconds;
  return fmt::format("{:.1f}",
                     seconds / static_cast<double>(cell->runs.size()));
}

std::string parameters_of(const CellResult* cell) {
  if (!is_done(cell)) return "";
  return cell->parameters > 0 ? std::to_string(cell->parameters) : "-";
}

std::string modern_markdown(const ExperimentResult& result) {
  return overview_markdown(result) +
         captioned("Parameters:", table_of_cells(result, parameters_of)) +
         captioned(
             "Seconds of a run, mean; runs that trained beside each other "
             "(`--workers`) share the machine:",
             table_of_cells(result, seconds_of_run)) +
         standings_markdown(result) + pairs_markdown(result);
}

}  // namespace

void plan_modern(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Beyond the paper: layers with weights, and newer systems";
  plan.notes.emplace_back(
      "Every system is searched by recipes/search/modern with the same number "
      "of settings, epochs and splits where nothing else is said below, and "
      "has one setting for all splits of a graph, chosen by mean validation "
      "score; seeds are 42, 43 and 44 (42 to 51 where there is one split). "
      "\"Ordered GNN\" is the paper's layer, "
      "\"transform\" has weights in every layer (`--transform linear`).");
  SystemsPlan systems(kModernFirst, "modern", wanted_rows(options), options,
                      plan);
  systems.add_rows();
  give_more_seeds(plan);
  note_unsearched(plan);
  note_leaks(plan);
}

void plan_modern_ablation(const ReproductionOptions& options,
                          ExperimentPlan& plan) {
  plan.title = "Ablation of the gates where layers have weights";
  plan.notes.emplace_back(
      "Everything but the gates is the setting that was found for SOFTOR in "
      "`modern`: what is below it might gain from a search of its own.");
  plan_ladder("modern-ablation", options, plan);
  give_more_seeds(plan);
}

ExperimentReport modern_report() {
  ExperimentReport report = other_systems_report();
  report.markdown = &modern_markdown;
  return report;
}

ExperimentReport modern_ablation_report() {
  ExperimentReport report = other_systems_report();
  report.ranks_rows = false;
  return report;
}

}  // namespace ordered_gnn::lab
