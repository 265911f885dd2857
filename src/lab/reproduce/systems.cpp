#include "lab/reproduce/systems.h"

#include <algorithm>
#include <cctype>

#include "lab/reproduce/experiments.h"
#include "lab/reproduce/systems_plan.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kOrderedGnnModel = "ordered_gnn";

std::string plain_letters(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

// What --models asks for, by default the recipes as they are. With `ours`,
// Ordered GNN has our settings too, below the paper's.
void add_wanted(SystemsPlan& systems, const ReproductionOptions& options,
                bool ours = false) {
  if (options.models.empty()) {
    systems.add_recipes();
    if (ours) systems.add_our_settings();
  }
  for (const std::string& model : options.models) {
    systems.add_model(model);
    if (ours && model == kOrderedGnnModel) systems.add_our_settings();
  }
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
      "with the settings in recipes/systems, which name their source. \"Our "
      "settings\" are those of recipes/tuned, for each graph the better of the "
      "paper's and a sweep's by validation accuracy; beside them is the "
      "paper's number for its own. "
      "`measured` is an independent run of the paper's settings in plain "
      "PyTorch, one seed.");
  SystemsPlan systems("table2", "table2", /*with_own=*/true, options, plan);
  add_wanted(systems, options, /*ours=*/true);
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

}  // namespace ordered_gnn::lab
