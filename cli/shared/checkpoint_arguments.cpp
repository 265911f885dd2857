#include "shared/checkpoint_arguments.h"

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "train/weight_remarks.h"

namespace ordered_gnn::cli {

CheckpointArguments::CheckpointArguments(CLI::App& command) {
  command
      .add_option("--checkpoint", file,
                  "model.safetensors written by 'ognn train'")
      ->type_name("FILE");
  command
      .add_option("--unknown-classes", unknown_classes,
                  "nodes of classes that the model does not know: refuse "
                  "them, or ignore their labels")
      ->type_name("refuse|ignore [refuse]");
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

namespace {

NodeDataset load_data(const Trained& trained, const RunOptions& options,
                      const CheckpointArguments& arguments) {
  const auto unknown = core::parse_enum<UnknownClasses>(
      "value of --unknown-classes", arguments.unknown_classes,
      {"refuse", "ignore"});
  FoundData found;
  if (arguments.run->given("data")) {
    found.data = load_dataset(options.data);
  } else {
    found = load_training_data(trained, options.data);
  }
  tell(found.notes);
  found.data = match_features(trained, std::move(found.data),
                              options.data.missing_columns);
  FoundData matched =
      match_classes(trained, found.data, unknown, arguments.file);
  tell(matched.notes);
  tell(training::weight_remarks(trained, matched.data));
  return std::move(matched.data);
}

}  // namespace

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
  out.data = load_data(out.trained, options, arguments);
  out.is_training_data =
      out.trained.fingerprint.empty()
          ? !arguments.run->given("data")
          : out.data.provenance.fingerprint == out.trained.fingerprint;
  // What is prepared here, whatever is done with the model finds prepared.
  if (!options.train.layout_cache.empty()) {
    out.trained.model->prepare(out.data, {options.train.layout_cache});
  }
  out.prediction = prediction_options(out.trained);
  out.prediction.correct_smooth = options.correct_smooth;
  out.prediction.execution = options.execution;
  return out;
}

std::vector<std::string> class_names(const Trained& trained) {
  std::vector<std::string> names = trained.class_names;
  for (auto c = static_cast<int64_t>(names.size());
       c < trained.shape.num_classes; ++c) {
    names.push_back(std::to_string(c));
  }
  return names;
}

}  // namespace ordered_gnn::cli
