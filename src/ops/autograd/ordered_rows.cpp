#include "ops/ordered_rows.h"

#include <ATen/Functions.h>

#include "ops/autograd/node.h"
#include "ops/detail/checks.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/ordered_rows.h"
#include "ops/detail/spent_once.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using detail::OrderedRowsArguments;

// What backward needs. Not saved variables: logits and gate are written over.
struct KeptRows : torch::CustomClassHolder {
  detail::OrderedRowsBackwardArguments rows;
};

detail::KeptLayer detached(detail::KeptLayer kept) {
  kept.h = kept.h.detach();
  if (kept.prev_gate.has_value()) kept.prev_gate = kept.prev_gate->detach();
  kept.gate_weight = kept.gate_weight.detach();
  kept.norm_weight = kept.norm_weight.detach();
  return kept;
}

struct OrderedRows : torch::autograd::Function<OrderedRows> {
  // The tensors are those in `arguments`, for their gradients: h and m, the
  // gate before, the parameters.
  static at::Tensor forward(AutogradContext* ctx, at::TensorList /*rows*/,
                            const optional<at::Tensor>& /*prev_gate*/,
                            at::TensorList /*parameters*/,
                            const OrderedRowsArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto holder = c10::make_intrusive<KeptRows>();
    holder->rows.nodes = arguments.nodes;
    detail::KeptLayer& kept = holder->rows.kept;
    kept = detached(detail::kept_inputs(arguments.layer));
    kept.m = arguments.m.detach();
    at::Tensor out;
    std::tie(out, kept.gate, kept.logits, kept.mean, kept.rstd) =
        detail::ordered_rows(arguments);
    detail::keep_until_spent(ctx, holder);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto kept = detail::spend<KeptRows>(ctx, "ordered_rows");
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    kept->rows.grad_out = grads[0];
    const auto [h, m, prev_gate, weight, bias, norm_weight, norm_bias] =
        detail::ordered_rows_backward(kept->rows);
    return {h,    m,           prev_gate, weight,
            bias, norm_weight, norm_bias, at::Tensor()};
  }
};

}  // namespace
}  // namespace ordered_gnn::autograd

namespace ordered_gnn::ops {
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
  const detail::OrderedRowsArguments arguments = {
      lists.nodes, rows.m,
      detail::layer_arguments(rows.h, rows.prev_gate, parameters, settings)};
  detail::check_layer(arguments.layer, rows.h.size(0));
  detail::check_shape("ordered_rows", "m", rows.m, rows.h.sizes());
  detail::check_like("ordered_rows", "m", rows.m, "h", rows.h);
  const at::Tensor own[] = {rows.h, rows.m};
  const at::Tensor learned[] = {parameters.gate_weight, parameters.gate_bias,
                                parameters.norm_weight, parameters.norm_bias};
  return autograd::OrderedRows::apply(at::TensorList(own),
                                      arguments.layer.prev_gate,
                                      at::TensorList(learned), arguments);
}

}  // namespace ordered_gnn::ops
