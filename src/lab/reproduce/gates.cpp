#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/reproduce/cells.h"
#include "lab/reproduce/reproduction.h"
#include "lab/reproduce/tables.h"
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
       describe_gates(prediction.gates, network.chunk)) {
    layers.push_back(layer_json(layer));
  }
  return {{"column", column},
          {"hidden", network.hidden},
          {"chunk", network.chunk},
          {"layers", layers}};
}

ReportTable layers_by_graphs(const Json& gates, const std::string& key,
                             double factor) {
  std::vector<std::string> header = {"layer"};
  size_t most = 0;
  for (const Json& model : gates) {
    header.push_back(model.at("column"));
    most = std::max(most, model.at("layers").size());
  }
  ReportTable table(header);
  for (size_t i = 0; i < most; ++i) {
    std::vector<std::string> line = {std::to_string(i + 1)};
    for (const Json& model : gates) {
      const Json& layers = model.at("layers");
      line.push_back(
          i < layers.size()
              ? fmt::format("{:.1f}", factor * layers[i].at(key).get<double>())
              : "");
    }
    table.add(std::move(line));
  }
  return table;
}

}  // namespace

ReportTable split_table(const Json& gates) {
  return layers_by_graphs(gates, "mean_expected_split", 1);
}

ReportTable saturation_table(const Json& gates) {
  return layers_by_graphs(gates, "saturated", 100);
}

// The models are kept, so these runs have a log of their own: the common one
// may have a run without its model.
void Reproduction::run_gates(const ExperimentPlan& plan,
                             ExperimentResult& result) {
  const std::filesystem::path folder = folder_.path() / plan.name;
  RunLog log(folder);
  run_cells(plan, log, folder / "models", result);
  result.broken.insert(result.broken.end(), log.broken().begin(),
                       log.broken().end());
  result.gates = Json::array();
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    CellResult& cell = result.cells[i];
    if (cell.status != CellStatus::done) continue;
    try {
      const ReadyCell ready =
          make_ready(plan.cells[i], options_, batch_, datasets_);
      RunOptions options = ready.runs.at(0).options;
      const std::filesystem::path model =
          model_folder(folder / "models", ready, 0);
      result.gates.push_back(gates_of(model / "model.safetensors",
                                      datasets_.get(options), cell.column));
    } catch (const Error& error) {
      cell.status = CellStatus::failed;
      cell.reason = one_line(fmt::format("{}; delete {} to train it again",
                                         error.what(), folder.string()));
      cell.runs.clear();
    }
  }
}

}  // namespace ordered_gnn::lab
