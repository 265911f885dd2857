#include <string>

#include "lab/reproduce/cell_runs.h"
#include "lab/reproduce/cells.h"
#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/recipes.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::lab {
namespace {

Json layer_json(const LayerGates& layer) {
  Json boxes = Json::array();
  for (const GateSummary& gate : layer.gates) {
    const FiveNumbers& box = gate.numbers;
    boxes.push_back({box.min, box.q1, box.median, box.q3, box.max});
  }
  return {{"mean_split", layer.mean_split},
          {"mean_expected_split", layer.mean_expected_split},
          {"saturated", layer.saturated},
          {"boxes", boxes}};
}

// Gates of every node of the graph in the trained model, on the CPU.
Json gates_of(const std::filesystem::path& file, const NodeDataset& data,
              const std::string& column) {
  const Trained trained = load_trained(file);
  PredictionOptions wanted = prediction_options(trained);
  wanted.gates = true;
  const Prediction prediction = predict(trained, data, wanted);
  const OrderedGnnOptions& network = trained.options.network;
  Json layers = Json::array();
  for (const LayerGates& layer :
       describe_gates(prediction.gates, network.chunk, gate_orders(network))) {
    layers.push_back(layer_json(layer));
  }
  return {{"column", column},
          {"hidden", network.hidden},
          {"chunk", network.chunk},
          {"layers", layers}};
}

// The gates of a cell's model, which its only run left in `models`.
Json gates_of_cell(const PlannedCell& planned, const RunContext& context,
                   const std::filesystem::path& models) {
  const ReadyCell ready = make_ready(planned, context.batch, context.datasets);
  RunOptions options = ready.runs.at(0).options;
  return gates_of(model_folder(models, ready, 0) / "model.safetensors",
                  context.datasets.get(options), planned.column);
}

void run_gates(const ExperimentPlan& plan, const RunContext& context,
               ExperimentResult& result) {
  const std::filesystem::path models = run_kept_cells(plan, context, result);
  result.gates = Json::array();
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    CellResult& cell = result.cells[i];
    if (cell.status != CellStatus::done) continue;
    try {
      result.gates.push_back(gates_of_cell(plan.cells[i], context, models));
    } catch (const Error& error) {
      mark_models_unable(plan, context, error.what(), cell);
    }
  }
}

}  // namespace

void plan_gates(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Gates of trained models";
  plan.notes.emplace_back(
      "The graphs of the paper's figure, which has no numbers, and minesweeper "
      "with weights in the layers (`modern`). One model each, on the first "
      "split.");
  for (const char* name :
       {"table2/citeseer", "table2/pubmed", "table2/actor", "table2/texas",
        "depth/cora-32", "modern/ordered_gnn_transform/minesweeper"}) {
    const std::optional<LoadedRecipe> recipe = take_recipe(name, options);
    if (!recipe) continue;
    PlannedCell cell = planned_cell(*recipe, kOrderedGnn, recipe->stem);
    cell.splits = "0";
    cell.seeds = {cell.options.train.seed};
    plan.cells.push_back(std::move(cell));
  }
}

ExperimentRuns gate_runs() {
  return {&run_gates, &forecast_kept_cells, /*one_run=*/true};
}

}  // namespace ordered_gnn::lab
