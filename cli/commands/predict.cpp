#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "commands.h"
#include "core/io/file.h"
#include "core/io/npy/npy.h"
#include "core/io/npy/npz.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/train/prediction.h"
#include "shared/calibrated.h"
#include "shared/ensemble.h"
#include "shared/node_selection.h"
#include "shared/predict_arguments.h"
#include "shared/prediction_table.h"
#include "shared/raw_csv.h"
#include "shared/speech.h"
#include "shared/uncertain_nodes.h"

namespace ordered_gnn::cli {
namespace {

void write_gates(const std::filesystem::path& file,
                 const Prediction& prediction, const std::string& model) {
  if (prediction.gates.empty()) {
    fail_in(file,
            fmt::format("this {} has no gates to write; ordered_gnn with "
                        "--gating simple, ordered or softor has, and gated_gnn",
                        model));
  }
  core::NpzWriter out(file);
  for (size_t k = 0; k < prediction.gates.size(); ++k) {
    out.add(fmt::format("layer_{}", k), prediction.gates[k]);
  }
  out.finish();
}

// What predicting all nodes is about to need, and whether that may be too much.
std::string memory_text(const LoadedCheckpoint& loaded,
                        const PredictionOptions& options) {
  const int64_t used = resident_memory_bytes();
  const int64_t most =
      prediction_bytes(loaded.trained.options, loaded.data, options).most;
  const MemoryLeft left = memory_left(most);
  return fmt::format(
      "predicting {} nodes takes up to {}: {} of model and data are loaded, up "
      "to {} to come{}",
      loaded.data.num_nodes(), bytes_text(used + most), bytes_text(used),
      bytes_text(most),
      most > left.bytes ? fmt::format(", and {}", left_text(left)) : "");
}

// Of all nodes, or of those that join the graph.
NodePrediction make_prediction(const PredictCommand& command,
                               const LoadedCheckpoint& loaded) {
  PredictionOptions options = loaded.prediction;
  options.embeddings = !command.embeddings.empty();
  options.gates = !command.gates.empty();
  if (command.added->given()) {
    return predict_added(*command.added, loaded, options, command.quiet);
  }
  if (options.execution.device == Device::cpu && !command.quiet) {
    say(memory_text(loaded, options));
  }
  NodePrediction out;
  out.prediction = ask(loaded, loaded.data, options);
  out.names = loaded.data.node_names;
  out.computed_nodes = loaded.data.num_nodes();
  return out;
}

void write_arrays(const PredictCommand& command, const Prediction& prediction,
                  const std::string& model) {
  if (!command.gates.empty()) write_gates(command.gates, prediction, model);
  if (!command.logits.empty()) {
    core::write_npy(command.logits, prediction.logits);
  }
  if (!command.embeddings.empty()) {
    core::write_npy(command.embeddings, prediction.embeddings);
  }
}

// The part of every node in the split trained on; nothing for other data.
std::vector<NodePart> parts_of_training(const LoadedCheckpoint& loaded) {
  const auto split = static_cast<size_t>(loaded.trained.result.split);
  if (!loaded.is_training_data || split >= loaded.data.splits.size()) {
    tell(
        {fmt::format("'{}' is not the data that the model was trained on: the "
                     "column 'part' is left empty",
                     loaded.data.name)});
    return {};
  }
  return node_parts(loaded.data.splits[split], loaded.data.num_nodes());
}

// Takes the names of the prediction, of which there may be millions.
PredictedNodes predicted_nodes(const LoadedCheckpoint& loaded,
                               NodePrediction& predicted,
                               const PredictCommand& command,
                               const std::optional<Temperature>& temperature) {
  const Prediction& prediction = predicted.prediction;
  const bool is_added = command.added->given();
  PredictedNodes nodes;
  nodes.classes = class_names(loaded.trained);
  nodes.node_names = std::move(predicted.names);
  nodes.probabilities =
      temperature && temperature->is_fitted
          ? scaled_probabilities(prediction.logits, temperature->value)
          : prediction.probabilities.to(at::kFloat);
  nodes.labels = prediction.labels;
  nodes.known =
      is_added ? at::full_like(prediction.labels, -1) : loaded.data.labels;
  const auto& extra = command.layout.extra;
  if (!is_added &&
      std::count(extra.begin(), extra.end(), ExtraColumn::part) > 0) {
    nodes.parts = parts_of_training(loaded);
  }
  return nodes;
}

// Seconds of what a prediction is made of.
struct PredictTimes {
  double read = 0;     ///< the checkpoint and the data
  double compute = 0;  ///< from there to the probabilities
  double write = 0;    ///< all files
};

// Seconds since it was made or asked before.
class Lap {
 public:
  double operator()() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ =
      std::chrono::steady_clock::now();
};

// What was done, for the closing line and --json.
struct PredictOutcome {
  PredictTimes seconds;
  std::optional<Temperature> temperature;
  WrittenPredictions written;
  int64_t computed_nodes = 0;
  std::vector<UncertainNode> uncertain;
};

void print_json(const PredictCommand& command, const LoadedCheckpoint& loaded,
                const PredictedNodes& nodes, const PredictOutcome& outcome) {
  Json json = {{"dataset", loaded.data.name},
               {"model", model_text(loaded)},
               {"num_nodes", loaded.data.num_nodes()},
               {"computed_nodes", outcome.computed_nodes},
               {"num_classes", loaded.trained.shape.num_classes},
               {"rows", nodes.rows.size()},
               {"withheld", outcome.written.withheld},
               {"guarded_cells", outcome.written.guarded},
               {"threads", num_threads()},
               {"seconds",
                {{"read", outcome.seconds.read},
                 {"compute", outcome.seconds.compute},
                 {"write", outcome.seconds.write}}},
               {"out", command.out},
               {"logits", command.logits},
               {"embeddings", command.embeddings},
               {"gates", command.gates}};
  if (!loaded.others.empty()) json["ensemble"] = ensemble_json(loaded);
  if (outcome.temperature) {
    json["calibration"] =
        to_json(*outcome.temperature, loaded.trained.result.split);
  }
  if (command.uncertain > 0) {
    json["uncertain"] = uncertain_json(nodes, outcome.uncertain);
  }
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void say_closing_line(const PredictCommand& command,
                      const LoadedCheckpoint& loaded, size_t rows,
                      const PredictOutcome& outcome) {
  if (outcome.temperature) {
    say(temperature_text(*outcome.temperature, loaded.trained.result.split));
  }
  const auto all = command.added->given()
                       ? rows
                       : static_cast<size_t>(loaded.data.num_nodes());
  std::string line = fmt::format(
      "{}: predicted {} nodes{}{}", loaded.data.name,
      rows == all ? std::to_string(all) : fmt::format("{} of {}", rows, all),
      loaded.others.empty() ? "" : " by an " + model_text(loaded),
      command.out.empty() ? "" : " into " + command.out);
  if (command.layout.min_confidence > 0) {
    line +=
        fmt::format("; {} are below a confidence of {} and have no label",
                    outcome.written.withheld, command.layout.min_confidence);
  }
  say(line);
  const PredictTimes& seconds = outcome.seconds;
  say(fmt::format("read in {:.2f} s, computed in {:.2f} s, written in {:.2f} s",
                  seconds.read, seconds.compute, seconds.write));
}

void tell_outcome(const PredictCommand& command, const LoadedCheckpoint& loaded,
                  const PredictedNodes& nodes, const PredictOutcome& outcome) {
  if (command.json) {
    print_json(command, loaded, nodes, outcome);
    return;
  }
  if (command.uncertain > 0) {
    std::cout << uncertain_text(nodes, outcome.uncertain);
  }
  if (!command.quiet) {
    say_closing_line(command, loaded, nodes.rows.size(), outcome);
  }
}

// Over parts a file of rows is written for every part, and nothing else.
void predict_over_parts(const PredictCommand& command,
                        const std::filesystem::path& folder) {
  const bool asks_more =
      !command.logits.empty() || !command.embeddings.empty() ||
      !command.gates.empty() || !command.only.empty() ||
      command.uncertain > 0 || command.calibrate || command.added->given();
  if (asks_more || command.out.empty()) {
    throw UsageError(
        "over parts of a graph there is --out FOLDER, with --columns, --top, "
        "--min-confidence and --raw-csv; the rest works on the data that the "
        "parts were made of");
  }
  predict_parts(load_over_parts(*command.arguments, folder), command.parts,
                {command.layout, command.out, command.force}, command);
}

void run_predict(PredictCommand& command) {
  command.layout.extra = parse_extra_columns(command.columns);
  if (command.raw_csv) command.layout.formulas = core::FormulaText::kept;
  if (const auto folder = parts_folder(*command.arguments)) {
    predict_over_parts(command, *folder);
    return;
  }
  require_no_ranks(command.parts);
  check_predict_arguments(command);
  Lap lap;
  PredictOutcome outcome;
  const LoadedCheckpoint loaded = load(*command.arguments);
  outcome.seconds.read = lap();
  require_classes(command.layout, loaded.trained.shape.num_classes);
  std::vector<int64_t> rows = selected_nodes(command.only, loaded.data);
  NodePrediction predicted = make_prediction(command, loaded);
  const Prediction& prediction = predicted.prediction;
  outcome.computed_nodes = predicted.computed_nodes;
  if (command.calibrate) {
    // Fitted on nodes of the graph, new ones have no label.
    outcome.temperature = validation_temperature(
        loaded,
        command.added->given() ? ask(loaded, loaded.data, loaded.prediction)
                               : prediction,
        loaded.prediction.split);
  }
  PredictedNodes nodes =
      predicted_nodes(loaded, predicted, command, outcome.temperature);
  if (command.added->given()) {
    rows.resize(static_cast<size_t>(prediction.labels.numel()));
    std::iota(rows.begin(), rows.end(), int64_t{0});
  }
  nodes.rows = std::move(rows);
  outcome.seconds.compute = lap();
  write_arrays(command, prediction, loaded.trained.options.model);
  if (!command.out.empty()) {
    outcome.written = write_predictions(command.out, nodes, command.layout);
    tell_of_guards(outcome.written.guarded);
  }
  outcome.seconds.write = lap();
  if (command.uncertain > 0) {
    outcome.uncertain = least_certain(nodes, command.uncertain);
  }
  tell_outcome(command, loaded, nodes, outcome);
}

}  // namespace

void add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App& sub = *app.add_subcommand(
      "predict", "Classify every node of a graph with a trained model");
  add_predict_options(sub, *command);
  sub.footer(
      "The graph may differ from the one trained on; features must be the "
      "same.\n"
      "Several checkpoints answer together, by the mean of their "
      "probabilities.\n"
      "Classes are matched by name. docs/decisions.md says what the columns "
      "mean.\n"
      "Examples:\n"
      "  ognn predict --checkpoint runs/texas/split-0/model.safetensors "
      "--out pred.csv\n"
      "  ognn predict --checkpoint model.safetensors --data new_graph.npz "
      "--out pred.csv --gates gates.npz\n"
      "  ognn predict --checkpoint model.safetensors --only unlabelled "
      "--calibrate --min-confidence 0.8 --out pred.csv\n"
      "  ognn predict --checkpoint model.safetensors --data g.npz --add-nodes "
      "new.csv --add-edges new_edges.csv --out pred.csv\n"
      "  ognn predict --checkpoint model.safetensors --data g.parts --ranks 2 "
      "--out preds    # a file per part");
  call_on(sub, command, run_predict);
}

}  // namespace ordered_gnn::cli
