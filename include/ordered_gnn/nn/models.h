#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn {

/// What the memory of a pass follows from, besides the model's options.
struct PassSize {
  int64_t num_nodes = 0;
  int64_t num_edges = 0;
  int64_t num_features = 0;
  int64_t num_classes = 0;
  int64_t dense_values = 0;        ///< of dense features; 0 for others
  int64_t sparse_values = 0;       ///< entries of sparse features
  bool has_weights = false;        ///< edges have weights
  bool keeps_gates = false;        ///< prediction: those of every layer
  bool checkpoint_layers = false;  ///< training: backward computes layers again
  bool spares_sums = false;        ///< training: and sums over neighbours
};

/// What of a pass is alive together, in matrices with a row per node.
struct PassRows {
  double least = 0;        ///< of width `hidden`, surely
  double most = 0;         ///< of width `hidden`, hardly more
  double class_rows = 0;   ///< of width `classes`, hardly more
  double edge_values = 0;  ///< numbers per edge, hardly more
  double parameters = 0;   ///< numbers, surely, of the widest maps
  /// Training keeps a copy of dense features, some of them dropped.
  bool drops_features = false;
};

/// Memory that something takes on top of what is in use, in bytes: surely no
/// less than `least`, by which it is refused where it does not fit, and hardly
/// more than `most`, by which it is warned of.
struct MemoryRange {
  int64_t least = 0;
  int64_t most = 0;
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
  /// Whether parameters belong to nodes: the model then knows the graph it was
  /// trained on and no other. Null: they never do.
  bool (*has_node_parameters)(const ModelOptions& options) = nullptr;
  /// Which way an edge runs matters to the model beyond who hears whom.
  bool tells_directions = false;

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
  /// Why the model cannot be trained over parts of a graph with these options,
  /// to be read after the model's name; empty when it can. Null: it never can.
  std::string (*why_no_parts)(const ModelOptions& options) = nullptr;
  /// Rows that are alive together while the model predicts, and in a training
  /// step; see prediction_bytes() and training_bytes().
  PassRows (*prediction_rows)(const ModelOptions& options,
                              const PassSize& size) = nullptr;
  PassRows (*training_rows)(const ModelOptions& options,
                            const PassSize& size) = nullptr;
  /// The Ordered GNN that the model is, one of 0 layers when it has no rounds
  /// of messages. Null: it is another network.
  OrderedGnnOptions (*as_ordered_gnn)(const ModelOptions& options) = nullptr;

  /// How far the model looks. Null: it needs the graph as a whole: for a
  /// layout of it, parameters of its nodes, degrees or edges that a part of it
  /// does not have.
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

/// Why the model cannot be trained over parts of a graph with these options, a
/// sentence that begins with its name; empty when it can.
std::string why_no_parts(const std::string& name, const ModelOptions& options);

/// Whether the model has parameters of nodes with these options, so that it
/// knows the graph it was trained on and no other.
bool is_per_node(const std::string& name, const ModelOptions& options);

/// The memory of a prediction: states, gates and results. For the layers that
/// ordered_layer() computes `most` is what is taken, but for some 25 MB of the
/// process; for other switches and models it is up to about four times that.
MemoryRange prediction_bytes(const ModelEntry& model,
                             const ModelOptions& options, const PassSize& size);

/// The memory of training one run: what backward keeps, parameters with their
/// gradients and moments, transposed lists of edges and features. Lists of
/// two-hop neighbours and layouts in the plane are in neither number.
MemoryRange training_bytes(const ModelEntry& model, const ModelOptions& options,
                           const PassSize& size);

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
