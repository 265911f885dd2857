#include "shared/calibrated.h"

#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "shared/ensemble.h"

namespace ordered_gnn::cli {
namespace {

Temperature fit_on(const NodeDataset& data, int64_t split,
                   const at::Tensor& logits) {
  if (split >= static_cast<int64_t>(data.splits.size())) {
    fail(
        "--calibrate needs split {} that the model was trained on, but '{}' "
        "has {} splits",
        split, data.name, data.splits.size());
  }
  const at::Tensor& nodes = data.splits[static_cast<size_t>(split)].val;
  const at::Tensor labelled = data.labels.index_select(0, nodes).ge(0);
  if (!labelled.any().item<bool>()) {
    fail(
        "--calibrate needs labelled validation nodes, and split {} of '{}' "
        "has none",
        split, data.name);
  }
  return fit_temperature(logits, data.labels, nodes);
}

NodeDataset training_data(const LoadedCheckpoint& loaded) {
  FoundData found;
  try {
    found = load_training_data(loaded.trained);
  } catch (const Error& error) {
    fail("--calibrate needs the validation nodes of the training: {}",
         error.what());
  }
  const std::string& then = loaded.trained.fingerprint;
  if (!then.empty() && found.data.provenance.fingerprint != then) {
    fail(
        "--calibrate needs the validation nodes of the training, but '{}' has "
        "changed since",
        loaded.trained.options.data.data);
  }
  return match_classes(loaded.trained, found.data, UnknownClasses::ignore).data;
}

}  // namespace

Temperature validation_temperature(const LoadedCheckpoint& loaded,
                                   const Prediction& made, int64_t split) {
  const int64_t trained_on = loaded.trained.result.split;
  require_one_split(loaded);
  if (loaded.is_training_data && split == trained_on) {
    return fit_on(loaded.data, trained_on, made.logits);
  }
  const NodeDataset data = training_data(loaded);
  PredictionOptions options = loaded.prediction;
  options.split = trained_on;
  return fit_on(data, trained_on, ask(loaded, data, options).logits);
}

std::string temperature_text(const Temperature& temperature, int64_t split) {
  if (!temperature.is_fitted) {
    return fmt::format(
        "temperature 1: all {} validation nodes of split {} are predicted "
        "right, which leaves nothing to fit",
        temperature.nodes, split);
  }
  return fmt::format(
      "temperature {:.4g}, fitted on {} validation nodes of split {} (log loss "
      "{:.4f} -> {:.4f})",
      temperature.value, temperature.nodes, split, temperature.loss_before,
      temperature.loss_after);
}

Json to_json(const Temperature& temperature, int64_t split) {
  return {{"temperature", temperature.value},
          {"nodes", temperature.nodes},
          {"split", split},
          {"is_fitted", temperature.is_fitted},
          {"loss_before", temperature.loss_before},
          {"loss_after", temperature.loss_after}};
}

}  // namespace ordered_gnn::cli
