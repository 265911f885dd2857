#pragma once
#include <memory>
#include <vector>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn {

namespace nn {
class NodeIdTower;
}

/// Node classifier whose neurons are ordered by hop distance:
///
///   h = f_theta(x), g = 0
///   for k in 1..K:
///     h = dropout_xi(h)
///     m = aggregate(h)
///     g = gate([h ; m] W_k^T + b_k, g)        as in ops/ordered_gate.h
///     h = norm(up(g) * h + (1 - up(g)) * c)   + h with residual
///   logits = Linear(dropout_theta(h))
///
/// What is written, c, is m itself or, with a linear transform, the candidate
/// c = relu(norm_c([m ; h] V_k^T + d_k)), V_k [D, 2D]: neurons that the gate
/// keeps stay as they are in both, so that a neuron still tells of the hops up
/// to the layer that wrote it last. With gating none the layer is h = norm(c).
/// With tied gates (W, b) is one parameter used by all layers.
///
/// With split directions the first half of the neurons hears in-neighbours and
/// the second half out-neighbours, each with gates and an order of its own:
///
///   m = [aggregate_in(h_1) ; aggregate_out(h_2)]      h = [h_1 ; h_2]
///   [l_1 ; l_2] = [h ; m] W_k^T + b_k                 G / 2 logits per half
///   g_i = gate(l_i, g_i)                              for i = 1, 2
///
/// and all else as above: gates and candidates read both halves, so that these
/// talk, and a neuron is written by its own direction's gate. A message of
/// aggregate_in() from u to v has the factor 1 / d_in[v] (mean), 1 (sum) or
/// 1 / sqrt(d_in[v] d_out[u]) (gcn); aggregate_out() has in and out exchanged.
/// Weights of edges are not read.
///
/// With a heard first state f_theta begins with what a node hears of the
/// features, and not with its own:
///
///   f_theta(x) = LayerNorm(relu(aggregate(dropout_theta(x) W^T) + b))
///
/// (further layers of f_theta as ever; aggregate() is that of the layers: mean,
/// gcn or sum, with split directions a half each). A node that nobody sends to
/// and that has no loop starts from b alone. Where loops are added, its own
/// features are among those it hears. Layer k then tells of nodes up to k + 1
/// steps away, and what the gates keep of the first state of one step.
///
/// With node ids the first state is h = f_theta(x) + t: a second tower, normed
/// as f_theta is, of a learned row R[v] per node, R [N, D]:
///
///   id         t[v] = LayerNorm(relu(dropout_theta(R)[v] + b))
///   adjacency  t[v] = LayerNorm(relu(sum_{u in N(v)} dropout_theta(R)[u] + b))
///
/// (times w_uv in a graph with weights). Such a network has parameters of
/// nodes: it is good for the graph that it was trained on and for no other.
class OrderedGnn : public NodeModel {
 public:
  /// Parameters are drawn from RandomStream(seed, kInitStream).
  /// @throws UsageError naming the option that does not fit.
  OrderedGnn(const ModelShape& shape, const OrderedGnnOptions& options,
             int64_t seed);

  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  /// On a GPU with the fused layer: the last layer then works on the rows that
  /// are asked for.
  bool has_receivers_pass(const ForwardContext& context,
                          at::Device device) const override;
  at::Tensor forward_receivers(const Graph& graph, const NodeFeatures& features,
                               const ForwardContext& context,
                               const ReceiverLists& lists) override;
  at::Tensor classify(const at::Tensor& state) const override;
  /// With node ids, split directions, and a heard first state.
  bool needs_whole_graph() const override;
  bool hears_both_ways() const override;

  const OrderedGnnOptions& options() const { return options_; }

  /// Rows of nodes between layers.
  struct State {
    at::Tensor h;     ///< [rows, D]; dropout of the next layer has acted on it
    at::Tensor gate;  ///< [rows, G]; may be undefined before the first layer
  };

  /// The network piece by piece, outside training: first_state(), then
  /// next_state() for layers 1 .. K, then classify() of h are forward().
  /// The rows of features and states may be those of some nodes alone. A row of
  /// next_state() is right when the graph has all in-edges of its node and rows
  /// hold their senders; with the gcn aggregator also all in-edges of those.
  /// @throws c10::Error from first_state() of a network that
  ///         needs_whole_graph(): some rows do not tell which nodes they are,
  ///         nor have they the edges against which messages run.
  State first_state(const NodeFeatures& features) const;
  State next_state(const Graph& graph, int64_t layer, const State& state) const;

 private:
  struct Layer : torch::nn::Module {
    std::shared_ptr<AggregateStage> aggregate;
    std::shared_ptr<Affine> gate;       // null when tied or without gating
    std::shared_ptr<Affine> candidate;  // null without a transform
    std::shared_ptr<Normalization> candidate_norm;
    std::shared_ptr<Normalization> norm;
  };

  struct Pass;  ///< what stays the same over the layers of a pass

  Pass pass_over(const Graph& graph, const ForwardContext& context,
                 ForwardTrace* trace, bool for_receivers = false) const;
  Pass with_scales(Pass pass) const;
  State start(const Pass& pass, const NodeFeatures& features) const;
  /// The sum of the towers, dropped out as the first layer takes it.
  at::Tensor first_sum(const Pass& pass, const NodeFeatures& features) const;
  /// Rounds of messages that the first state has seen.
  int64_t first_round() const;
  /// What nodes hear of rows in a layer.
  at::Tensor messages(const Pass& pass, size_t index,
                      const at::Tensor& h) const;
  /// The state with a gate of zeros where it has none.
  State with_gate(State state) const;
  const Affine& gate_of(size_t index) const;
  OrderedLayerParameters parameters_of(size_t index) const;
  CandidateLayerParameters candidate_parameters_of(const Pass& pass,
                                                   size_t index,
                                                   const at::Tensor& h) const;
  OrderedLayerSettings settings_of(const Pass& pass, size_t index) const;
  State run_fused(const Pass& pass, size_t index, const State& state) const;
  /// The first `count` layers as one run that backward undoes; for GPUs, where
  /// memory is short.
  State run_stacked(const Pass& pass, size_t count, const State& state) const;
  State run_composed(const Pass& pass, size_t index, const State& state) const;
  /// What a layer writes: m, or the candidate made of it.
  at::Tensor written(const Pass& pass, const Layer& layer, const at::Tensor& h,
                     const at::Tensor& m) const;
  State run_layers(const Pass& pass, size_t first, size_t last,
                   State state) const;
  /// The same values; backward computes runs of layers again from the state
  /// before them, in runs of runs, so that what is kept grows with the
  /// logarithm of the depth.
  State run_recomputed(const Pass& pass, size_t first, size_t last,
                       State state) const;
  std::vector<at::Tensor> parameters_between(size_t first, size_t last) const;
  at::Tensor logits_of(const at::Tensor& state,
                       const ForwardContext& context) const;
  double dropout_after(const Pass& pass, size_t index) const;
  DropoutKey key_after(const Pass& pass, size_t index) const;

  OrderedGnnOptions options_;
  std::unique_ptr<InputNetwork> input_;
  std::shared_ptr<nn::NodeIdTower> node_ids_;  // null without node ids
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<Affine> tied_gate_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn
