#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/core/receiver_lists.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// Labels that a model is told: those of training nodes, never of others.
struct KnownLabels {
  at::Tensor nodes;   ///< [n] int64, distinct
  at::Tensor labels;  ///< [n] int64, theirs, each in 0 .. C - 1
};

/// What a model has made of a dataset ahead of all passes over it. Nobody but
/// the model looks into it.
class ModelPreparation {
 public:
  virtual ~ModelPreparation() = default;
};

/// How a preparation is made.
struct PreparationOptions {
  /// Folder in which it may be kept for other processes; empty: nothing is
  /// written.
  std::filesystem::path cache = {};
  /// Told, in a sentence, what was read, written or wrong with a file.
  std::function<void(const std::string&)> note = nullptr;
};

/// What a forward pass may depend on besides parameters and data.
struct ForwardContext {
  bool training = false;  ///< dropout acts, batch statistics are used
  int64_t seed = 0;       ///< of the run
  DropoutStep step;       ///< of training; fixes the dropout masks
  bool fused = true;      ///< false: one op after the other, to compare with
  /// Keep only the states between layers; backward computes the rest again.
  bool checkpoint_layers = false;
  /// Logits of the type that rows of nodes are stored in, as cross_entropy()
  /// takes them, instead of that of the parameters.
  bool stored_logits = false;
  /// What a model that reads labels is told; null: nothing. Must outlive the
  /// pass.
  const KnownLabels* known = nullptr;
  /// What NodeModel::prepare() made of the data; null for most models.
  std::shared_ptr<const ModelPreparation> preparation = nullptr;
};

/// The rows of nodes as one layer leaves them.
struct LayerTrace {
  /// Rounds of messages that the state has seen; 0 for the result of an input
  /// network.
  int64_t layer = 0;
  at::Tensor state;  ///< [N, D] or another width; dropped out while training
  at::Tensor gate;   ///< [N, D / C]; undefined for layer 0 and without gates
  /// Parts of equal size that neurons and gates fall into, each with an order
  /// of its own; see gate_orders().
  int64_t orders = 1;
};

/// Filled by a forward pass on request. Who wants the gradient of a state of a
/// training pass asks it to retain_grad(): on a GPU backward may write into
/// gradients that it hands on.
struct ForwardTrace {
  std::vector<at::Tensor> gates;  ///< per layer [N, D / C]; may be empty
  at::Tensor embeddings;          ///< [N, D], input of the output layer;
                                  ///< dropped out while training
  /// When set, called as the pass goes with one layer after the other, and
  /// `gates` stays empty: nothing of a layer outlives the next one. Models that
  /// call it do so for rising layers, the last of which is the number of rounds
  /// that the logits have seen. Models whose states are not made in rounds,
  /// or whose rounds carry anything but what in-neighbours send, never call it.
  std::function<void(const LayerTrace&)> on_layer;
};

/// Hands a layer to on_layer, where the trace has one.
void trace_layer(ForwardTrace* trace, int64_t layer, const at::Tensor& state,
                 const at::Tensor& gate = {}, int64_t orders = 1);

/// Which optimiser group a parameter belongs to.
enum class ParameterRole { theta, xi, input_norm };

/// A node classifier over one graph.
class NodeModel : public torch::nn::Module {
 public:
  /// @return [N, classes] logits, of the parameters' type unless the context
  ///         says otherwise.
  virtual at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                             const ForwardContext& context,
                             ForwardTrace* trace = nullptr) = 0;

  /// Whether the model has a way to compute the logits of some nodes that is
  /// shorter than forward(), on `device`.
  virtual bool has_receivers_pass(const ForwardContext& context,
                                  at::Device device) const;

  /// The rows `lists.nodes` of what forward() returns, [R, classes].
  /// @param lists  receiver_lists() of `graph`.
  /// Where has_receivers_pass() is false it may be no shorter.
  /// @throws c10::Error when the model has no such way at all.
  virtual at::Tensor forward_receivers(const Graph& graph,
                                       const NodeFeatures& features,
                                       const ForwardContext& context,
                                       const ReceiverLists& lists);

  /// What the model would say if its rounds of messages ended here.
  /// @param state  rows of a LayerTrace::state of this model, outside training.
  /// @return [rows, classes] logits; undefined for models whose states of inner
  ///         layers are no input of their output layer.
  virtual at::Tensor classify(const at::Tensor& state) const;

  /// Share of the training labels that a model is told in a training step,
  /// drawn anew in every step; its loss is on the other training nodes, or on
  /// all when it is told all (1). In evaluation it is told all of them. No
  /// value: the model reads no labels.
  virtual std::optional<double> told_labels() const { return std::nullopt; }

  /// What the model computes of a dataset once, ahead of all passes, which get
  /// it in ForwardContext::preparation. Null: nothing, as of most models.
  ///
  /// A preparation is of the whole graph, on the device of the data. Calls for
  /// the same data share the work where its fingerprint tells that it is.
  /// @throws Error when the cache that is asked for cannot be written.
  virtual std::shared_ptr<const ModelPreparation> prepare(
      const NodeDataset& data, const PreparationOptions& options = {}) const;

  /// The first training step, from 1 on, in which a parameter is learned. In
  /// earlier ones the optimiser leaves it alone, L2 included, and counts its
  /// own steps from there.
  virtual int64_t first_step(const std::string& parameter_name) const;

  /// Whether a pass must be over the whole graph, its nodes in their order:
  /// parameters belong to nodes, or nodes hear more than the messages to them.
  /// Otherwise the logits of a node are those of a pass over the part of the
  /// graph whose messages reach it.
  virtual bool needs_whole_graph() const { return false; }

  /// Whether nodes also hear those that their own edges lead to.
  virtual bool hears_both_ways() const { return false; }

  /// Role by name: `input.*`, `node_ids.*` and `output.*` are theta,
  /// `input_norm.*` and `node_ids_norm.*` the norms between input layers,
  /// everything else xi.
  static ParameterRole role_of(const std::string& parameter_name);
};

/// What a model must know of the data.
struct ModelShape {
  int64_t num_features = 0;
  int64_t num_classes = 0;
  /// Decides the memory layout of the first weight, not its values.
  NodeFeatures::Kind features_kind = NodeFeatures::Kind::dense;
  int64_t num_nodes = 0;  ///< for models with parameters per node
};

/// Stream of RandomStream that initialisation draws from.
constexpr uint64_t kInitStream = 1;

}  // namespace ordered_gnn
