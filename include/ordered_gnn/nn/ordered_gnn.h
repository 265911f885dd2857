#pragma once
#include <memory>
#include <vector>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn {

/// Node classifier whose neurons are ordered by hop distance:
///
///   h = f_theta(x), g = 0
///   for k in 1..K:
///     h = dropout_xi(h)
///     m = aggregate(h)
///     g = gate([h ; m] W_k^T + b_k, g)        as in ops/ordered_gate.h
///     h = norm(up(g) * h + (1 - up(g)) * m)   + h with residual
///   logits = Linear(dropout_theta(h))
///
/// With gating none the layer is h = norm(m). With tied gates (W, b) is one
/// parameter used by all layers.
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
  State first_state(const NodeFeatures& features) const;
  State next_state(const Graph& graph, int64_t layer, const State& state) const;

 private:
  struct Layer : torch::nn::Module {
    std::shared_ptr<AggregateStage> aggregate;
    std::shared_ptr<Affine> gate;  // null when tied or without gating
    std::shared_ptr<Normalization> norm;
  };

  struct Pass;  ///< what stays the same over the layers of a pass

  Pass pass_over(const Graph& graph, const ForwardContext& context,
                 ForwardTrace* trace, bool for_receivers = false) const;
  Pass with_scales(Pass pass) const;
  State start(const Pass& pass, const NodeFeatures& features) const;
  /// The state with a gate of zeros where it has none.
  State with_gate(State state) const;
  const Affine& gate_of(size_t index) const;
  OrderedLayerParameters parameters_of(size_t index) const;
  OrderedLayerSettings settings_of(const Pass& pass, size_t index) const;
  State run_fused(const Pass& pass, size_t index, const State& state) const;
  /// The first `count` layers as one run that backward undoes; for GPUs, where
  /// memory is short.
  State run_stacked(const Pass& pass, size_t count, const State& state) const;
  State run_composed(const Pass& pass, size_t index, const State& state) const;
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
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<Affine> tied_gate_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn
