#include "ordered_gnn/train/run_options.h"

#include "data/split_file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "train/batch_choice.h"
#include "train/class_weights.h"
#include "train/neighbor_step.h"
#include "train/placement.h"

namespace ordered_gnn {
namespace {

using O = RunOptions;

template <typename Part, typename Select>
void append(std::vector<Option<O>>& table,
            const std::vector<Option<Part>>& part, Select select) {
  for (Option<O>& row : lifted<O>(part, select)) {
    table.push_back(std::move(row));
  }
}

std::vector<Option<O>> make_table() {
  std::vector<Option<O>> table;
  append(
      table, data_option_table(), [](O & o) -> auto& { return o.data; });
  table.push_back(execution_only(option<O>(
      "splits", "Training", [](O & o) -> auto& { return o.splits; },
      "splits to run: all, or a list such as 0,3,5-7")));
  table.push_back(
      one_of(option<O>(
                 "model", "Model", [](O & o) -> auto& { return o.model; },
                 "model to train, see 'ognn models'"),
             model_names()));
  append(
      table, model_option_table(), [](O & o) -> auto& { return o.network; });
  append(
      table, train_option_table(), [](O & o) -> auto& { return o.train; });
  append(
      table, correct_smooth_option_table(),
      [](O & o) -> auto& { return o.correct_smooth; });
  append(
      table, execution_option_table(),
      [](O & o) -> auto& { return o.execution; });
  return table;
}

// False when the values name no model. A name of the wrong type or of no model
// is left to the table, whose error says what it takes.
bool apply_defaults_of_model(const Json& values, RunOptions& options) {
  const auto model = values.find("model");
  if (model == values.end()) return false;
  for (const ModelEntry& entry : model_table()) {
    if (*model == entry.name) {
      apply_json(run_option_table(), entry.defaults, options);
    }
  }
  return true;
}

void check_math(const RunOptions& options) {
  if (options.execution.math != Math::bf16) return;
  const std::string reason = why_no_bf16(options.model, options.network);
  if (!reason.empty()) {
    const bool on_gpu = options.execution.device == Device::cuda;
    throw UsageError(fmt::format("--math bf16 {}; use --math {}", reason,
                                 on_gpu ? "tf32" : "fp32"));
  }
}

void check_eval_every(const RunOptions& options) {
  if (options.train.eval_every == 1) return;
  if (options.execution.device == Device::cpu) return;
  throw UsageError(fmt::format(
      "--eval-every {}: on a GPU an epoch with its evaluation is one recorded "
      "graph, which is replayed as a whole; leave it out",
      options.train.eval_every));
}

}  // namespace

const std::vector<Option<RunOptions>>& run_option_table() {
  static const std::vector<Option<RunOptions>> table = make_table();
  return table;
}

Json to_json(const RunOptions& options) {
  return to_json(run_option_table(), options);
}

RunOptions run_options_from_layers(const std::vector<Json>& layers) {
  RunOptions options;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (apply_defaults_of_model(*layer, options)) break;
  }
  for (const Json& layer : layers) {
    data::check_split_choice(layer);
    apply_json(run_option_table(), layer, options);
  }
  return options;
}

RunOptions default_options(const std::string& model) {
  find_model(model);
  return run_options_from_json({{"model", model}});
}

RunOptions run_options_from_json(const Json& values) {
  return run_options_from_layers({values});
}

void apply_values(const Json& values, RunOptions& options) {
  data::check_split_choice(values);
  apply_defaults_of_model(values, options);
  apply_json(run_option_table(), values, options);
}

void validate(const RunOptions& options) {
  validate_values(options);
  const std::string missing = missing_device(options.execution);
  if (!missing.empty()) throw UsageError(missing);
}

void validate_values(const RunOptions& options) {
  for (const auto& entry : run_option_table()) {
    check_option(entry.spec, entry.get(options));
  }
  check_model_options(options.model, options.network);
  training::check_class_weights(options.train.class_weights);
  training::require_samplable(options);
  validate(options.execution);
  check_math(options);
  training::check_reorder(options, options.execution);
  check_eval_every(options);
}

Json run_identity(const RunOptions& options, const std::string& fingerprint) {
  Json identity = to_json(options);
  for (const auto& row : run_option_table()) {
    if (row.spec.execution_only) identity.erase(row.spec.name);
  }
  // A GPU rounds in its own way.
  if (options.execution.device == Device::cpu) identity.erase("device");
  if (options.execution.math == Math::fp32) identity.erase("math");
  if (options.execution.reorder == NodeOrder::none) identity.erase("reorder");
  // Recomputing adds up the gradients of a shared gate in another order.
  if (!options.network.tied_gates) identity.erase("checkpoint-layers");
  // An option that a run of an earlier version did not have is at its default.
  const ModelOptions defaults;
  for (const auto& row : baseline_option_table()) {
    if (row.get(options.network) == row.get(defaults)) {
      identity.erase(row.spec.name);
    }
  }
  if (options.network.transform == Transform::none) {
    identity.erase("transform");
    identity.erase("candidate-norm");
  }
  if (options.network.directions == Directions::joint) {
    identity.erase("directions");
  }
  if (options.network.node_ids == NodeIds::none) identity.erase("node-ids");
  if (options.network.first_state == FirstState::own) {
    identity.erase("first-state");
  }
  if (options.train.average_weights == 0) identity.erase("average-weights");
  if (options.train.eval_every == 1) identity.erase("eval-every");
  if (options.train.drop_edge == 0) identity.erase("drop-edge");
  const training::BatchChoice batch =
      training::parse_batch(options.train.batch);
  if (!batch.in_parts()) identity.erase("history");
  if (!batch.in_parts() && !batch.samples()) identity.erase("batch");
  if (options.data.treatment.edge_weights == Treatment::EdgeWeights::use) {
    identity.erase("edge-weights");
  }
  if (options.train.class_weights == "none") identity.erase("class-weights");
  if (options.data.unlabelled.empty()) identity.erase("unlabelled");
  // The splits that it holds are in the fingerprint, wherever it lies.
  identity.erase("split-file");
  // Of prediction on other data.
  identity.erase("missing-columns");
  // Without the switch its settings do nothing.
  if (!options.correct_smooth.enabled) {
    for (const auto& row : correct_smooth_option_table()) {
      identity.erase(row.spec.name);
    }
  }
  identity["fingerprint"] = fingerprint;
  return identity;
}

}  // namespace ordered_gnn
