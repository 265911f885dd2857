#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/dropout.h"
#include "ops/detail/gated_layer.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn::detail {

template <>
struct Members<OrderedLayerParameters> {
  template <typename Self>
  static auto of(Self& self) {
    return std::tie(self.gate_weight, self.gate_bias, self.norm_weight,
                    self.norm_bias);
  }
};

/// What a layer makes of rows once their neighbours are summed up.
struct LayerArguments {
  at::Tensor h;
  optional<at::Tensor> prev_gate;  ///< read in mode softor only
  OrderedLayerParameters parameters;
  int64_t mode = 0;  ///< a GateMode, see layer_mode()
  double eps = 0;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.h, self.prev_gate, self.parameters, self.mode,
                    self.eps, self.dropout);
  }
};

/// Arguments of the registered op `ordered_layer`.
using OrderedLayerArguments = GatedLayerArguments<LayerArguments>;

/// What backward of a layer reads of its forward pass.
struct KeptLayer {
  at::Tensor h;
  optional<at::Tensor> prev_gate;
  at::Tensor gate_weight, norm_weight;
  at::Tensor gate;
  optional<at::Tensor> m;  ///< nothing: gathered again, by the CPU alone
  at::Tensor logits, mean, rstd;
  int64_t mode = 0;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.h, self.prev_gate, self.gate_weight, self.norm_weight,
                    self.gate, self.m, self.logits, self.mean, self.rstd,
                    self.mode, self.dropout);
  }
};

/// Arguments of the registered op `ordered_layer_backward`.
using OrderedLayerBackwardArguments = GatedLayerBackwardArguments<KeptLayer>;

/// Arguments of the registered op `ordered_layer_again`.
struct OrderedLayerAgainArguments {
  at::Tensor h;
  optional<at::Tensor> prev_gate;
  at::Tensor m, logits;
  at::Tensor norm_weight, norm_bias;
  int64_t mode = 0;
  double eps = 0;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.h, self.prev_gate, self.m, self.logits,
                    self.norm_weight, self.norm_bias, self.mode, self.eps,
                    self.dropout);
  }
};

/// Results of the registered op `ordered_layer`: out [N, D], gate [N, G], and
/// for backward m [N, D], logits [N, G], mean [N], rstd [N]. Without `keep` the
/// last four are undefined, and m is undefined too where gathering it again is
/// cheaper; the registered op has left_out() for what is undefined here.
using OrderedLayerOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor,
                                       at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op.
OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments);

/// The same without `keep`, for loops that call a layer often: where nobody but
/// autograd is to hear of the call, it skips the dispatcher and what a
/// registered op leaves out. Time counts for more than memory, see TimeFirst.
OrderedGateResult ordered_layer_of_python(
    const OrderedLayerArguments& arguments);

/// Gradients of h, prev_gate, gate_weight, gate_bias, norm_weight and
/// norm_bias.
using OrderedLayerGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor,
                                         at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op. With `reuse_memory` the first gradient may be
/// grad_out, the second gate or grad_gate, and logits may be overwritten.
OrderedLayerGradients ordered_layer_backward(
    const OrderedLayerBackwardArguments& arguments);

/// The same, where the gradient of m, the second, is not yet handed to the rows
/// that m was made of: the first is that of the layer's own use of h.
using OrderedRowGradients =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor>;

/// Calls the registered op.
OrderedRowGradients ordered_layer_rows_backward(
    const OrderedLayerBackwardArguments& arguments);

/// Calls the registered op, which GPUs have: out and gate of a layer, to the
/// bit, from the m and the logits that it kept.
std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const OrderedLayerAgainArguments& arguments);

/// The arguments of a layer.
/// @throws c10::Error when gating is none or simple.
LayerArguments layer_arguments(const at::Tensor& h, const at::Tensor& prev_gate,
                               const OrderedLayerParameters& parameters,
                               const OrderedLayerSettings& settings);

/// What backward needs of a layer besides results, and together with them.
KeptLayer kept_inputs(const LayerArguments& layer);
KeptLayer kept_of(const LayerArguments& layer,
                  const OrderedLayerOutputs& results);

void check_ordered_layer(const OrderedLayerArguments& arguments);
/// All of it but the lists and their scales.
/// @param rows  of the layer; h may have more, which only send.
void check_layer(const LayerArguments& layer, int64_t rows);

}  // namespace ordered_gnn::detail
