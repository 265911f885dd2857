#include "shared/checkpoint_arguments.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::cli {

CheckpointArguments::CheckpointArguments(CLI::App& command) {
  command
      .add_option("--checkpoint", file,
                  "model.safetensors written by 'ognn train'")
      ->type_name("FILE");
  run = std::make_unique<RunArguments>(
      command,
      std::vector<std::string>{"Data", "Correct & Smooth", "Execution"},
      std::vector<std::string>{"workers", "checkpoint-layers"});
}

void add_split_option(CLI::App& command, int64_t& split) {
  command
      .add_option("--split", split,
                  "split to score; the one trained on when not given")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber);
}

LoadedCheckpoint load(const CheckpointArguments& arguments) {
  if (arguments.file.empty()) {
    throw UsageError("no model given; add --checkpoint FILE");
  }
  LoadedCheckpoint out;
  out.trained = load_trained(arguments.file);
  const Json given = arguments.run->values();
  RunOptions options = out.trained.options;
  options.data = data_for(out.trained, given.value("data", ""));
  // Where it was trained says nothing about where it is used.
  options.execution = {};
  options.train.layout_cache = "";
  arguments.run->apply(options);
  validate(options);
  warn_unread(*arguments.run, options);
  set_num_threads(static_cast<int>(options.execution.threads));
  out.data = match_features(out.trained, load_dataset(options.data),
                            options.data.missing_columns);
  require_fit(out.trained, out.data, arguments.file);
  // What is prepared here, whatever is done with the model finds prepared.
  if (!options.train.layout_cache.empty()) {
    out.trained.model->prepare(out.data, {options.train.layout_cache});
  }
  out.prediction = prediction_options(out.trained);
  out.prediction.correct_smooth = options.correct_smooth;
  out.prediction.execution = options.execution;
  return out;
}

}  // namespace ordered_gnn::cli
