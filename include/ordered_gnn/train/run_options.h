#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/model_options.h"
#include "ordered_gnn/train/correct_smooth.h"
#include "ordered_gnn/train/execution.h"
#include "ordered_gnn/train/options.h"

namespace ordered_gnn {

/// Everything that decides a training run. Recipes and checkpoints hold these
/// fields under the names of run_option_table(). The defaults of the fields are
/// those of Ordered GNN: for another model start from default_options().
struct RunOptions {
  DataOptions data;
  std::string splits = "0";  ///< of the command: "all" or "0,3,5-7"
  std::string model = "ordered_gnn";
  ModelOptions network;
  TrainOptions train;
  CorrectSmoothOptions correct_smooth;
  ExecutionOptions execution;
};

/// The options of a model as its paper has them, the same as the command's:
/// the one way to options of a model other than Ordered GNN.
/// @throws UsageError naming the known models.
RunOptions default_options(const std::string& model = "ordered_gnn");

/// The one table of options: data, model, training and execution rows together.
const std::vector<Option<RunOptions>>& run_option_table();

Json to_json(const RunOptions& options);

/// Options from layers of values, later ones first: the last layer down to the
/// first, then the defaults of the model they name (ModelEntry::defaults), then
/// the program's own defaults. A recipe and the command line are such layers.
/// @throws UsageError for unknown keys and values that do not fit.
RunOptions run_options_from_layers(const std::vector<Json>& layers);

/// The same of one layer. Values that hold every key, as those of checkpoints
/// do, give these values.
RunOptions run_options_from_json(const Json& values);

/// Sets the defaults of the model that `values` name, when they name one, and
/// then the values.
/// @throws UsageError for unknown keys and values that do not fit.
void apply_values(const Json& values, RunOptions& options);

/// @throws UsageError when options do not fit each other or this machine.
void validate(const RunOptions& options);

/// The same, but for the device, which may be another machine's.
void validate_values(const RunOptions& options);

/// What decides the result of a run: the options without those that only say
/// how it is executed, and the fingerprint of its data.
Json run_identity(const RunOptions& options, const std::string& fingerprint);

}  // namespace ordered_gnn
