#include "shared/parts_answers.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/affixes.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "shared/thread_use.h"
#include "train/checkpoint.h"

namespace ordered_gnn::cli {

std::optional<std::filesystem::path> parts_folder(
    const CheckpointArguments& arguments) {
  const std::string given = arguments.run->values().value("data", "");
  if (!given.empty()) {
    if (!scale::is_parts_folder(given)) return std::nullopt;
    return given;
  }
  if (arguments.files.size() != 1 || arguments.files.front().empty()) {
    return std::nullopt;
  }
  const std::string path = load_trained(arguments.files.front()).data_path;
  if (path.empty() || !scale::is_parts_folder(path)) return std::nullopt;
  return path;
}

PartsCheckpoint load_over_parts(const CheckpointArguments& arguments,
                                const std::filesystem::path& folder) {
  if (arguments.files.size() != 1) {
    throw UsageError(
        "over parts of a graph one --checkpoint answers at a time");
  }
  PartsCheckpoint out;
  out.folder = folder;
  out.manifest = scale::read_manifest(folder);
  LoadedCheckpoint& loaded = out.loaded;
  loaded.files = arguments.files;
  loaded.trained = load_trained(arguments.files.front());
  scale::require_fit(loaded.trained, out.manifest, arguments.files.front());
  RunOptions said;
  arguments.run->apply(said);
  out.options = training::answering_options(loaded.trained.options);
  out.options.execution = said.execution;
  // How the data of its training were read says nothing of the parts.
  out.options.data = said.data;
  out.options.data.data = folder.string();
  out.options.correct_smooth = said.correct_smooth;
  validate(out.options);
  scale::require_parts_options(out.options, out.manifest);
  scale::take_treatment(out.manifest, said.data.treatment, out.options);
  use_threads(out.options.execution);
  out.scored = scale::read_scored_nodes(folder, out.manifest);
  loaded.data = out.scored.data;
  // A run with other rows on the wire says so behind it.
  loaded.is_training_data = core::starts_with(
      loaded.trained.fingerprint, loaded.data.provenance.fingerprint);
  loaded.prediction = prediction_options(loaded.trained);
  return out;
}

void with_ranks(const PartsCheckpoint& checkpoint,
                const PartsArguments& arguments,
                const std::function<void(scale::PartsRun& run)>& body,
                scale::SpillUse use) {
  const ThreadScope serial_torch;
  PartsTraining how;
  how.arguments = arguments;
  how.said = TreatmentChoice(checkpoint.manifest.treatment);
  how.quiet = true;
  how.use = use;
  if (served_as_rank(checkpoint.options, how)) return;
  // Here, since it is told once and every rank has loaded it.
  const LoadedCheckpoint& loaded = checkpoint.loaded;
  tell_unverified(loaded.trained, loaded.files.front());
  work_over_parts(checkpoint.options, how, checkpoint.scored, body);
}

Prediction prediction_of(const at::Tensor& logits) {
  Prediction out;
  out.logits = logits;
  out.probabilities = logits.softmax(1);
  out.labels = logits.argmax(1);
  return out;
}

}  // namespace ordered_gnn::cli
