#include "shared/parts_predictions.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <iostream>
#include <numeric>
#include <system_error>

#include "ordered_gnn/core/error.h"
#include "scale/parts/reader.h"
#include "shared/ensemble.h"
#include "shared/output_file.h"
#include "shared/raw_csv.h"
#include "shared/speech.h"

namespace ordered_gnn::cli {
namespace {

std::filesystem::path file_of_part(const std::filesystem::path& folder,
                                   int64_t part) {
  return folder / fmt::format("part-{:04}.csv", part);
}

void make_output_folder(const std::filesystem::path& out, int64_t parts,
                        bool force) {
  std::error_code failed;
  std::filesystem::create_directories(out, failed);
  if (!std::filesystem::is_directory(out, failed)) {
    fail_in(out,
            "is no folder; predictions over parts are a file for every part, "
            "so --out is a folder");
  }
  for (int64_t p = 0; p < parts; ++p) {
    require_writable(file_of_part(out, p), prediction_signatures(), force);
  }
}

std::vector<NodePart> split_of_rows(const scale::Part& part, int64_t split) {
  std::vector<NodePart> parts;
  const at::Tensor marks = part.splits[split].contiguous();
  const uint8_t* const mark = marks.data_ptr<uint8_t>();
  constexpr NodePart kParts[] = {NodePart::none, NodePart::train, NodePart::val,
                                 NodePart::test};
  for (int64_t r = 0; r < part.rows(); ++r) parts.push_back(kParts[mark[r]]);
  return parts;
}

PredictedNodes nodes_of_part(const PartsCheckpoint& checkpoint,
                             const scale::Part& part,
                             const at::Tensor& logits) {
  const Prediction prediction = prediction_of(logits);
  PredictedNodes nodes;
  nodes.classes = class_names(checkpoint.loaded.trained);
  nodes.probabilities = prediction.probabilities;
  nodes.labels = prediction.labels;
  nodes.known = part.labels;
  const int64_t* const original = part.original.data_ptr<int64_t>();
  for (int64_t r = 0; r < part.rows(); ++r) {
    nodes.node_names.push_back(std::to_string(original[r]));
  }
  const int64_t split = checkpoint.loaded.trained.result.split;
  if (checkpoint.loaded.is_training_data &&
      split < checkpoint.manifest.num_splits) {
    nodes.parts = split_of_rows(part, split);
  }
  nodes.rows.resize(static_cast<size_t>(part.rows()));
  std::iota(nodes.rows.begin(), nodes.rows.end(), int64_t{0});
  return nodes;
}

struct DonePredictions {
  int64_t nodes = 0;
  int64_t files = 0;
  WrittenPredictions written;
};

void report_predictions(const PartsCheckpoint& checkpoint,
                        const DonePredictions& done, const std::string& folder,
                        const OutputFlags& flags) {
  tell_of_guards(done.written.guarded);
  if (flags.json) {
    const Json json = {{"dataset", checkpoint.manifest.name},
                       {"model", model_text(checkpoint.loaded)},
                       {"num_nodes", done.nodes},
                       {"num_classes", checkpoint.manifest.num_classes},
                       {"rows", done.nodes},
                       {"withheld", done.written.withheld},
                       {"guarded_cells", done.written.guarded},
                       {"files", done.files},
                       {"out", folder}};
    std::cout << json.dump(2) << '\n';
  } else if (!flags.quiet) {
    say(fmt::format("{}: predicted {} nodes into {} files in {}",
                    checkpoint.manifest.name, done.nodes, done.files, folder));
  }
}

}  // namespace

void predict_parts(const PartsCheckpoint& checkpoint,
                   const PartsArguments& arguments, const PartsOutput& output,
                   const OutputFlags& flags) {
  const scale::PartsManifest& manifest = checkpoint.manifest;
  require_classes(output.layout, manifest.num_classes);
  DonePredictions done;
  with_ranks(checkpoint, arguments, [&](scale::PartsRun& run) {
    make_output_folder(output.folder, manifest.num_parts(), output.force);
    run.predict(*checkpoint.loaded.trained.model,
                [&](int64_t index, const at::Tensor& logits) {
                  const scale::Part part = scale::read_part_nodes(
                      checkpoint.folder, manifest, index);
                  const WrittenPredictions written = write_predictions(
                      file_of_part(output.folder, index),
                      nodes_of_part(checkpoint, part, logits), output.layout);
                  done.written.withheld += written.withheld;
                  done.written.guarded += written.guarded;
                  done.nodes += part.rows();
                  ++done.files;
                });
    report_predictions(checkpoint, done, output.folder, flags);
  });
}

}  // namespace ordered_gnn::cli
