#include "shared/checkpoint_arguments.h"

#include "core/names.h"
#include "data/class_names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "shared/thread_use.h"
#include "train/checkpoint.h"
#include "train/weight_remarks.h"

namespace ordered_gnn::cli {

CheckpointArguments::CheckpointArguments(CLI::App& command, Count count) {
  CLI::Option* const option = command.add_option(
      "--checkpoint", files,
      count == Count::one
          ? "model.safetensors written by 'ognn train'"
          : "model.safetensors written by 'ognn train'; of several, the mean "
            "of their probabilities");
  if (count == Count::one) {
    option->type_name("FILE")->expected(1);
  } else {
    option->type_name("FILE...");
  }
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
      match_classes(trained, found.data, unknown, arguments.files.front());
  tell(matched.notes);
  tell(training::weight_remarks(trained, matched.data));
  return std::move(matched.data);
}

Trained load_told(const std::string& file) {
  Trained trained = load_trained(file);
  tell_unverified(trained, file);
  return trained;
}

// The members of an ensemble besides the first, each asked as it was trained or
// as the arguments say.
void load_others(const CheckpointArguments& arguments, LoadedCheckpoint& out) {
  for (size_t i = 1; i < arguments.files.size(); ++i) {
    EnsembleMember member{load_told(arguments.files[i]), {}};
    require_together(out.trained, member.trained, arguments.files[i]);
    require_fit(member.trained, out.data, arguments.files[i]);
    RunOptions options = member.trained.options;
    arguments.run->apply(options);
    member.options = prediction_options(member.trained);
    member.options.correct_smooth = options.correct_smooth;
    out.others.push_back(std::move(member));
  }
}

}  // namespace

void tell_unverified(const Trained& trained, const std::string& file) {
  if (!trained.is_verified) tell({training::no_checksum_note(file)});
}

LoadedCheckpoint load(const CheckpointArguments& arguments) {
  if (arguments.files.empty() || arguments.files.front().empty()) {
    throw UsageError("no model given; add --checkpoint FILE");
  }
  LoadedCheckpoint out;
  out.files = arguments.files;
  out.trained = load_told(arguments.files.front());
  const Json given = arguments.run->values();
  RunOptions options = training::answering_options(out.trained.options);
  options.data = data_for(out.trained, given.value("data", ""));
  // Where it was trained says nothing about where it is used.
  options.execution = {};
  options.train.layout_cache = "";
  arguments.run->apply(options);
  validate(options);
  warn_unread(*arguments.run, options);
  use_threads(options.execution);
  out.data = load_data(out.trained, options, arguments);
  use_threads_for(out.data, options);
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
  load_others(arguments, out);
  return out;
}

std::vector<std::string> class_names(const Trained& trained) {
  return data::all_class_names(trained.class_names, trained.shape.num_classes);
}

}  // namespace ordered_gnn::cli
