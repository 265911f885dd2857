#include "shared/predict_arguments.h"

#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "shared/output_file.h"
#include "shared/raw_csv.h"

namespace ordered_gnn::cli {
namespace {

void check_files(const PredictCommand& command) {
  const auto check = [&](const std::string& file, const char* signature) {
    if (!file.empty()) require_writable(file, signature, command.force);
  };
  if (!command.out.empty()) {
    require_writable(command.out, prediction_signatures(), command.force);
  }
  check(command.logits, "\x93NUMPY");
  check(command.embeddings, "\x93NUMPY");
  check(command.gates, "PK");
}

// What belongs to one model, or is computed for one.
void check_ensemble(const PredictCommand& command) {
  if (!command.embeddings.empty() || !command.gates.empty()) {
    throw UsageError(
        "--embeddings and --gates are those of one model; give one "
        "--checkpoint");
  }
  if (command.added->given()) {
    throw UsageError(
        "--add-nodes and --add-edges take one model; give one --checkpoint, or "
        "a graph with the new nodes by --data");
  }
}

void require_something_to_write(const PredictCommand& command) {
  const bool writes_rows = !command.out.empty() || command.uncertain > 0;
  if (!writes_rows && command.logits.empty() && command.embeddings.empty() &&
      command.gates.empty()) {
    throw UsageError("nothing to write; add --out pred.csv");
  }
  const bool shapes_rows = !command.only.empty() || command.calibrate;
  if (shapes_rows && !writes_rows) {
    throw UsageError(
        "--only and --calibrate are about the rows of --out and --uncertain; "
        "add one of these");
  }
  const bool shapes_file = command.layout.top > 0 || !command.columns.empty() ||
                           command.layout.min_confidence > 0 || command.raw_csv;
  if (shapes_file && command.out.empty()) {
    throw UsageError(
        "--top, --columns, --min-confidence and --raw-csv are about the file "
        "of --out; add that");
  }
}

void add_row_options(CLI::App& sub, PredictCommand& command) {
  sub.add_option("--only", command.only,
                 "nodes to list: labelled, unlabelled, or a file with a name "
                 "on every line or in the first column")
      ->type_name("WHICH");
  sub.add_option("--columns", command.columns,
                 "columns to add at the end: known (the label of the data), "
                 "part (of the split trained on), confidence")
      ->type_name("LIST");
  sub.add_option("--top", command.layout.top,
                 "only the K likeliest classes of every node, as class_1, "
                 "prob_1, ... instead of a column per class")
      ->type_name("K")
      ->check(CLI::PositiveNumber);
  sub.add_option("--min-confidence", command.layout.min_confidence,
                 "leave the label empty where the likeliest class is less "
                 "probable than this")
      ->type_name("P");
  sub.add_option("--uncertain", command.uncertain,
                 "print the N nodes that the model is least certain of")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  sub.add_flag("--calibrate", command.calibrate,
               "scale the probabilities by a temperature fitted on the "
               "validation nodes of the training");
}

}  // namespace

void add_predict_options(CLI::App& sub, PredictCommand& command) {
  command.arguments = std::make_unique<CheckpointArguments>(
      sub, CheckpointArguments::Count::several);
  command.added = std::make_unique<AddedArguments>(sub);
  add_parts_options(sub, command.parts);
  const auto file = [&](const char* name, std::string& target,
                        const char* help) {
    sub.add_option(name, target, help)->type_name("FILE");
  };
  file("--out", command.out, "CSV of node, label and class probabilities");
  add_row_options(sub, command);
  file("--logits", command.logits, "raw scores [N, C] as .npy");
  file("--embeddings", command.embeddings, "last embedding [N, D] as .npy");
  file("--gates", command.gates, "gates [N, G] per layer as .npz");
  add_raw_csv_option(sub, command.raw_csv);
  sub.add_flag("--force", command.force, "replace files that are not ours");
  add_output_flags(sub, command, "print what was written as JSON",
                   "say nothing");
}

void check_predict_arguments(const PredictCommand& command) {
  require_something_to_write(command);
  const double least = command.layout.min_confidence;
  if (!(least >= 0 && least <= 1)) {
    throw UsageError(fmt::format(
        "--min-confidence takes a probability from 0 to 1, not {}", least));
  }
  if (command.added->given() && !command.only.empty()) {
    throw UsageError("--only chooses nodes of the graph, not new ones");
  }
  if (command.arguments->files.size() > 1) check_ensemble(command);
  check_files(command);
}

}  // namespace ordered_gnn::cli
