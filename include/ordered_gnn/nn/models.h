#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn {

/// What the memory of a prediction follows from, besides the model's options.
struct PredictionSize {
  int64_t num_nodes = 0;
  int64_t num_edges = 0;
  int64_t num_classes = 0;
  bool keeps_gates = false;  ///< those of every layer are asked for
  bool has_weights = false;  ///< edges have weights
};

/// How far the logits of a node look in evaluation.
struct ModelReach {
  int64_t hops = 0;  ///< most steps that anything takes to reach a node
  /// Messages also run along Graph::two_hop(), two steps each.
  bool reads_two_hop = false;
};

/// All that the program knows of one model.
struct ModelEntry {
  std::string name;
  std::string summary;  ///< one line: what papers call it, and what it does
  std::string paper;    ///< title and year; empty: it has none of its own
  /// What a user should know besides, as sentences about "it"; may be empty.
  std::string remarks;

  /// Names of the options that have an effect on this model, of those that do
  /// not have one on every model: all of model_option_table(), and of training
  /// l2-theta, l2-xi, input-norm, checkpoint-layers and layout-cache.
  std::vector<std::string> reads;
  /// What options mean to this model, by name, where models read them in
  /// different ways.
  std::map<std::string, std::string> meanings;
  /// Values, under the names of the options table, that stand in for the
  /// program's own defaults when this model is chosen: those of its paper,
  /// which the model's header names.
  Json defaults = Json::object();
  /// Parameters belong to nodes: the model knows the graph it was trained on
  /// and no other.
  bool is_per_node = false;

  std::shared_ptr<NodeModel> (*make)(const ModelShape& shape,
                                     const ModelOptions& options,
                                     int64_t seed) = nullptr;
  /// Refuses options that do not fit each other with a UsageError; may be null.
  void (*check)(const ModelOptions& options) = nullptr;
  /// Why an option of `reads` has no effect with these options, a sentence with
  /// {} for its name; empty when it has. Null: all always have.
  std::string (*why_unread)(const ModelOptions& options,
                            const std::string& option) = nullptr;
  /// Why rows of nodes cannot be stored in 16 bits with these options; empty
  /// when they can. Null: they never can.
  std::string (*why_no_bf16)(const ModelOptions& options) = nullptr;
  /// Why weights of edges have no effect with these options, to be read after
  /// the model's name; empty when they have. Null: they never have.
  std::string (*why_no_weights)(const ModelOptions& options) = nullptr;
  /// Bytes of states, gates and results that are alive together while the model
  /// predicts.
  int64_t (*prediction_bytes)(const ModelOptions& options,
                              const PredictionSize& size) = nullptr;
  /// The Ordered GNN that the model is, one of 0 layers when it has no rounds
  /// of messages. Null: it is another network.
  OrderedGnnOptions (*as_ordered_gnn)(const ModelOptions& options) = nullptr;

  /// How far the model looks. Null: it needs the graph as a whole, for a layout
  /// of it or parameters of its nodes.
  ModelReach (*reach)(const ModelOptions& options) = nullptr;

  bool reads_option(const std::string& option) const;
};

/// Every model: `--model`, `ognn models`, docs/models.md, the help of options,
/// errors and tests read this table.
const std::vector<ModelEntry>& model_table();
std::vector<std::string> model_names();

/// @throws UsageError naming the known models.
const ModelEntry& find_model(const std::string& name);

/// Who reads an option of `ModelEntry::reads`, and as what: " (gat, unimp)", or
/// ": decay (ggcn), identity mapping (gcnii, gcnii_star)" where it means
/// different things. For the end of its help.
std::string readers_text(const std::string& option);

/// Why the model cannot store rows of nodes in 16 bits with these options, to
/// be read after the name of what asks for it; empty when it can.
std::string why_no_bf16(const std::string& name, const ModelOptions& options);

/// Why weights of edges have no effect on the model with these options, a
/// sentence that begins with its name; empty when they have.
std::string why_no_weights(const std::string& name,
                           const ModelOptions& options);

/// @throws UsageError naming the option that is out of range or does not fit.
void check_model_options(const std::string& name, const ModelOptions& options);

/// @throws UsageError naming the known models, or the option that does not fit.
std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const ModelOptions& options,
                                        int64_t seed);

/// NodeModel::prepare() of a model of the table, which is not made for it: for
/// doing it ahead of many runs.
std::shared_ptr<const ModelPreparation> prepare_model(
    const std::string& name, const ModelOptions& options,
    const NodeDataset& data, const PreparationOptions& preparation);

}  // namespace ordered_gnn
