#include "shared/checkpoint_arguments.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "train/placement.h"

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
  out.checkpoint = load_checkpoint(arguments.file);
  RunOptions options = out.checkpoint.options;
  if (arguments.run->given("data")) {
    // Another graph has its own files and splits, but the treatment is part of
    // what the model learnt.
    options.data.format = "auto";
    options.data.split_set = "auto";
  }
  // Where it was trained says nothing about where it is used.
  options.device = "cpu";
  options.math = "fp32";
  options.threads = 0;
  options.workers = 1;
  arguments.run->apply(options);
  validate(options);
  warn_unread(*arguments.run, options);
  set_num_threads(static_cast<int>(options.threads));
  out.data = load_dataset(options.data);
  require_fit(out.checkpoint, out.data, arguments.file);
  use_math(options);
  out.placed = train::place(out.data, options);
  train::place(*out.checkpoint.model, options);
  const Json& result = out.checkpoint.result;
  out.prediction.split = result.is_object() ? result.value("split", 0) : 0;
  out.prediction.correct_smooth = options.correct_smooth;
  return out;
}

}  // namespace ordered_gnn::cli
