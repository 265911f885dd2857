#include "ops/ordered_rows.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/checks.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/ordered_rows.h"
#include "ops/detail/spent_once.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::optional;
using detail::when_defined;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What backward needs. Not saved variables: logits and gate are written over.
struct KeptRows : torch::CustomClassHolder {
  at::Tensor nodes;
  at::Tensor gate_weight, norm_weight;
  at::Tensor h, m, prev_gate, gate, logits, mean, rstd;
  int64_t mode = 0;
  double p = 0;
  DropoutKey key;
};

struct OrderedRows : torch::autograd::Function<OrderedRows> {
  static at::Tensor forward(
      AutogradContext* ctx, const at::Tensor& h, const at::Tensor& m,
      const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
      const at::Tensor& gate_bias, const at::Tensor& norm_weight,
      const at::Tensor& norm_bias, const c10::intrusive_ptr<KeptRows>& kept,
      double eps) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const DropoutKey& key = kept->key;
    at::Tensor out;
    std::tie(out, kept->gate, kept->logits, kept->mean, kept->rstd) =
        detail::ordered_rows(kept->nodes, h, m, prev_gate, gate_weight,
                             gate_bias, norm_weight, norm_bias, kept->mode, eps,
                             kept->p, key.seed, key.step, key.site);
    kept->h = h.detach();
    kept->m = m.detach();
    if (prev_gate.has_value()) kept->prev_gate = prev_gate->detach();
    kept->gate_weight = gate_weight.detach();
    kept->norm_weight = norm_weight.detach();
    detail::keep_until_spent(ctx, kept);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto kept = detail::spend<KeptRows>(ctx, "ordered_rows");
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const DropoutKey& key = kept->key;
    const auto [h, m, prev_gate, weight, bias, norm_weight, norm_bias] =
        detail::ordered_rows_backward(
            kept->nodes, kept->h, when_defined(kept->prev_gate),
            kept->gate_weight, kept->norm_weight, kept->gate, kept->m,
            kept->logits, kept->mean, kept->rstd, grads[0], kept->mode, kept->p,
            key.seed, key.step, key.site);
    const at::Tensor none;
    return {h, m, prev_gate, weight, bias, norm_weight, norm_bias, none, none};
  }
};

}  // namespace
}  // namespace autograd

namespace {

// One op after the other; what is dropped follows from the rows of all nodes.
at::Tensor composed_rows(const ReceivedRows& rows, const ReceiverLists& lists,
                         const OrderedLayerParameters& parameters,
                         const OrderedLayerSettings& settings) {
  const at::Tensor logits =
      pair_linear(rows.h, rows.m, parameters.gate_weight, parameters.gate_bias);
  const at::Tensor prev_gate =
      rows.prev_gate.defined() ? rows.prev_gate : at::zeros_like(logits);
  const at::Tensor norm = layer_norm(
      ordered_gate(settings.gating, logits, prev_gate, rows.h, rows.m).h,
      parameters.norm_weight, parameters.norm_bias, settings.norm_eps);
  return dropout(at::zeros({lists.place.numel(), norm.size(1)}, norm.options())
                     .index_copy(0, lists.nodes, norm),
                 settings.dropout, settings.dropout_key)
      .index_select(0, lists.nodes);
}

}  // namespace

at::Tensor ordered_rows(const ReceivedRows& rows, const ReceiverLists& lists,
                        const OrderedLayerParameters& parameters,
                        const OrderedLayerSettings& settings) {
  if (!rows.h.is_cuda()) {
    return composed_rows(rows, lists, parameters, settings);
  }
  const detail::GateMode mode =
      detail::layer_mode(settings.gating, rows.prev_gate.defined());
  detail::check_layer_rows(rows.h, detail::when_defined(rows.prev_gate),
                           parameters.gate_weight, parameters.gate_bias,
                           parameters.norm_weight, parameters.norm_bias,
                           static_cast<int64_t>(mode), settings.dropout);
  detail::check_shape("ordered_rows", "m", rows.m, rows.h.sizes());
  detail::check_like("ordered_rows", "m", rows.m, "h", rows.h);
  const auto kept = c10::make_intrusive<autograd::KeptRows>();
  kept->nodes = lists.nodes;
  kept->mode = static_cast<int64_t>(mode);
  kept->p = settings.dropout;
  kept->key = settings.dropout_key;
  return autograd::OrderedRows::apply(
      rows.h, rows.m, detail::when_defined(rows.prev_gate),
      parameters.gate_weight, parameters.gate_bias, parameters.norm_weight,
      parameters.norm_bias, kept, settings.norm_eps);
}

}  // namespace ordered_gnn
