#pragma once
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn::nn {

/// The ways of an Ordered GNN through its layers. They give the same values and
/// differ in time and memory.
enum class Way {
  composed,    ///< layer by layer, one op after the other
  fused,       ///< layer by layer, each of them one op: ordered_layer(), or
               ///< candidate_layer() with a transform
  stacked,     ///< all layers as one ordered_stack(), which backward undoes
  recomputed,  ///< runs of layers that backward computes again
  receivers,   ///< a stack, and its last layer for the rows asked for alone
};

/// What the way of a pass depends on besides the options of the network.
struct PassConditions {
  bool fused = true;               ///< ForwardContext::fused
  bool checkpoint_layers = false;  ///< ForwardContext::checkpoint_layers
  bool weighted = false;  ///< the graph has weights; fused layers read none
  bool states_are_seen = false;  ///< by a trace or who runs single layers
  bool on_gpu = false;
  bool records_gradients = false;
  bool for_receivers = false;  ///< the logits of some nodes are asked for
  /// The graph is a part of one: every layer fetches rows.
  bool of_part = false;
};

/// True when ordered_layer() computes the layers of these options: ordered or
/// softor gates, layer norm, no residual, no transform, joint directions and an
/// aggregator that is_scaled().
bool has_fused_layers(const OrderedGnnOptions& options);

/// True when candidate_layer() computes the layers of these options: a linear
/// transform, ordered or softor gates, no residual and an aggregator that
/// is_scaled(); any norms. On a GPU it does so up to detail::kWidestOnGpu
/// columns.
bool has_candidate_layers(const OrderedGnnOptions& options);

/// True when a norm counts statistics over all nodes, which must happen once a
/// pass.
bool has_batch_statistics(const OrderedGnnOptions& options);

/// Decides how a pass is computed; nothing else does.
class ExecutionPlan {
 public:
  /// @throws c10::Error for receivers without ordered_layer(), as on a graph
  ///         with weights: only that can work on some rows.
  ExecutionPlan(const OrderedGnnOptions& options,
                const PassConditions& conditions);

  Way way() const { return way_; }

  /// Whether a layer that runs by itself is one op, which also needs no gate to
  /// start from.
  bool fuses_layers() const { return fuses_layers_; }

  /// Whether a pass for some nodes alone would be shorter than this one.
  bool is_shorter_for_receivers() const { return way_ == Way::stacked; }

 private:
  bool fuses_layers_;
  Way way_;
};

}  // namespace ordered_gnn::nn
