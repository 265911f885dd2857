#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn {

/// One line of the table of models.
struct ModelEntry {
  std::string name;
  std::string summary;
  std::shared_ptr<NodeModel> (*make)(const ModelShape& shape,
                                     const ModelOptions& options, int64_t seed);
  /// Names of the options that have an effect on this model, of those that do
  /// not have one on every model: all of model_option_table(), and of training
  /// l2-theta, l2-xi, input-norm and checkpoint-layers.
  std::vector<std::string> reads;
  /// Values, under the names of the options table, that stand in for the
  /// program's own defaults when this model is chosen: those of its paper,
  /// which the model's header names.
  Json defaults = Json::object();
  /// Refuses options that do not fit each other with a UsageError; may be null.
  void (*check)(const ModelOptions& options) = nullptr;
  /// Parameters belong to nodes: the model knows the graph it was trained on
  /// and no other.
  bool is_per_node = false;
  /// NodeModel::embedding() has a value, that of the options.
  bool reads_layout = false;

  bool reads_option(const std::string& option) const;
};

/// Every model: `--model`, `ognn models`, errors and tests read this table.
const std::vector<ModelEntry>& model_table();
std::vector<std::string> model_names();

/// @throws UsageError naming the known models.
const ModelEntry& find_model(const std::string& name);

/// @throws UsageError naming the option that is out of range or does not fit.
void check_model_options(const std::string& name, const ModelOptions& options);

/// @throws UsageError naming the known models, or the option that does not fit.
std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const ModelOptions& options,
                                        int64_t seed);

}  // namespace ordered_gnn
