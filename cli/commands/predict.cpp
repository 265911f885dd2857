#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/file.h"
#include "core/io/npy/npy.h"
#include "core/io/npy/npz.h"
#include "lab/report/table.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/train/prediction.h"
#include "shared/arguments.h"
#include "shared/checkpoint_arguments.h"
#include "shared/output_file.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kCsvSignature = "node,label,prob_";

struct PredictCommand {
  std::unique_ptr<CheckpointArguments> arguments;
  std::string out, logits, embeddings, gates;
  std::string memory_limit;
  CLI::Option* limit_option = nullptr;
  bool force = false, json = false, quiet = false;
};

// "800M", "4G", "2500000000".
int64_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  double bytes = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const std::string units = "kMGT";
  if (unit.size() == 1 && units.find(unit) != std::string::npos) {
    bytes *= std::pow(1000.0, static_cast<double>(units.find(unit)) + 1);
  } else if (!unit.empty()) {
    bytes = -1;
  }
  if (text.empty() || !(bytes > 0) || bytes > 1e18) {
    throw UsageError(fmt::format(
        "--memory-limit takes a size such as 800M or 4G, not '{}'", text));
  }
  return static_cast<int64_t>(bytes);
}

// Says what is about to be needed; refuses what cannot be had.
void announce_memory(const PredictCommand& command, int64_t nodes,
                     int64_t needed) {
  const int64_t used = resident_memory_bytes();
  const int64_t free_bytes = available_memory_bytes();
  const bool limited = command.limit_option->count() > 0;
  const int64_t limit =
      limited ? parse_bytes(command.memory_limit) : used + free_bytes;
  const std::string text = fmt::format(
      "predicting {} nodes takes up to {}: {} of model and data are loaded, {} "
      "to come",
      nodes, bytes_text(used + needed), bytes_text(used), bytes_text(needed));
  if (used + needed > limit && (limited || free_bytes > 0)) {
    fail("{}, but {} {}; split the graph, or ask for fewer outputs", text,
         bytes_text(limit),
         limited ? "is the --memory-limit" : "is all there is");
  }
  if (!command.quiet) fmt::print(stderr, "{}\n", text);
}

std::vector<std::string> class_labels(const Trained& trained) {
  std::vector<std::string> names;
  for (int64_t c = 0; c < trained.shape.num_classes; ++c) {
    const auto index = static_cast<size_t>(c);
    names.push_back(index < trained.class_names.size()
                        ? lab::csv_field(trained.class_names[index])
                        : std::to_string(c));
  }
  return names;
}

void write_csv(const std::filesystem::path& file, const Prediction& prediction,
               const LoadedCheckpoint& loaded) {
  const std::vector<std::string> classes = class_labels(loaded.trained);
  core::AtomicFile out(file);
  std::string text = "node,label";
  for (const std::string& name : classes) text += ",prob_" + name;
  text += "\n";
  const at::Tensor labels = prediction.labels.contiguous();
  const at::Tensor probabilities =
      prediction.probabilities.to(at::kFloat).contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  const float* const probability = probabilities.data_ptr<float>();
  const auto num_classes = static_cast<int64_t>(classes.size());
  const std::vector<std::string>& names = loaded.data.node_names;
  for (int64_t v = 0; v < labels.numel(); ++v) {
    text += names.empty() ? std::to_string(v) : lab::csv_field(names[v]);
    text += "," + classes[label[v]];
    for (int64_t c = 0; c < num_classes; ++c) {
      fmt::format_to(std::back_inserter(text), ",{:.7g}",
                     probability[v * num_classes + c]);
    }
    text += "\n";
    if (text.size() > (1u << 20)) {
      out.write(text);
      text.clear();
    }
  }
  out.write(text);
  out.commit();
}

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

void check_outputs(const PredictCommand& command) {
  if (command.out.empty() && command.logits.empty() &&
      command.embeddings.empty() && command.gates.empty()) {
    throw UsageError("nothing to write; add --out pred.csv");
  }
  const auto check = [&](const std::string& file, const char* signature) {
    if (!file.empty()) require_writable(file, signature, command.force);
  };
  check(command.out, kCsvSignature);
  check(command.logits, "\x93NUMPY");
  check(command.embeddings, "\x93NUMPY");
  check(command.gates, "PK");
}

void run_predict(const PredictCommand& command) {
  check_outputs(command);
  if (command.limit_option->count() > 0) parse_bytes(command.memory_limit);
  const LoadedCheckpoint loaded = load(*command.arguments);
  PredictionOptions options = loaded.prediction;
  options.embeddings = !command.embeddings.empty();
  options.gates = !command.gates.empty();
  if (options.execution.device == Device::cpu) {
    announce_memory(
        command, loaded.data.num_nodes(),
        prediction_bytes(loaded.trained.options, loaded.data, options));
  }
  const Prediction prediction = predict(loaded.trained, loaded.data, options);
  if (!command.gates.empty()) {
    write_gates(command.gates, prediction, loaded.trained.options.model);
  }
  if (!command.logits.empty())
    core::write_npy(command.logits, prediction.logits);
  if (!command.embeddings.empty()) {
    core::write_npy(command.embeddings, prediction.embeddings);
  }
  if (!command.out.empty()) write_csv(command.out, prediction, loaded);
  if (command.json) {
    std::cout << Json{{"dataset", loaded.data.name},
                      {"model", loaded.trained.options.model},
                      {"num_nodes", loaded.data.num_nodes()},
                      {"num_classes", loaded.trained.shape.num_classes},
                      {"out", command.out},
                      {"logits", command.logits},
                      {"embeddings", command.embeddings},
                      {"gates", command.gates}}
                     .dump(2)
              << '\n';
  } else if (!command.quiet) {
    fmt::print(stderr, "{}: predicted {} nodes{}\n", loaded.data.name,
               loaded.data.num_nodes(),
               command.out.empty() ? "" : " into " + command.out);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App& sub = *app.add_subcommand(
      "predict", "Classify every node of a graph with a trained model");
  command->arguments = std::make_unique<CheckpointArguments>(sub);
  const auto file = [&](const char* name, std::string& target,
                        const char* help) {
    sub.add_option(name, target, help)->type_name("FILE");
  };
  file("--out", command->out, "CSV of node, label and class probabilities");
  file("--logits", command->logits, "raw scores [N, C] as .npy");
  file("--embeddings", command->embeddings, "last embedding [N, D] as .npy");
  file("--gates", command->gates, "gates [N, G] per layer as .npz");
  command->limit_option =
      sub.add_option("--memory-limit", command->memory_limit,
                     "refuse to take more memory than this, for example 4G; "
                     "what is free when not given")
          ->type_name("SIZE");
  sub.add_flag("--force", command->force, "replace files that are not ours");
  sub.add_flag("--json", command->json, "print what was written as JSON");
  sub.add_flag("--quiet", command->quiet, "say nothing");
  sub.footer(
      "The graph may differ from the one trained on; features must be the "
      "same.\n"
      "Examples:\n"
      "  ognn predict --checkpoint runs/texas/split-0/model.safetensors "
      "--out pred.csv\n"
      "  ognn predict --checkpoint model.safetensors --data new_graph.npz "
      "--out pred.csv --gates gates.npz");
  call_on(sub, command, run_predict);
}

}  // namespace ordered_gnn::cli
