#include "ordered_gnn/ops/ordered_rows.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/ordered_layer.h"
#include "ops/detail/ordered_rows.h"
#include "ops/detail/spent_once.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::when_defined;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What backward needs. Not saved_variables: those stay until backward is over,
// while these go as soon as they are done with.
struct KeptRows : torch::CustomClassHolder {
  ReceiverLists lists;
  at::Tensor row_scale, col_scale;
  at::Tensor gate_weight, norm_weight;
  at::Tensor gate, h, prev_gate, m, logits, mean, rstd;
  int64_t mode = 0;
  double p = 0;
  DropoutKey key;
};

struct OrderedRows : torch::autograd::Function<OrderedRows> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h,
                            const detail::optional<at::Tensor>& prev_gate,
                            const at::Tensor& gate_weight,
                            const at::Tensor& gate_bias,
                            const at::Tensor& norm_weight,
                            const at::Tensor& norm_bias,
                            const c10::intrusive_ptr<KeptRows>& kept,
                            double eps) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const DropoutKey& key = kept->key;
    at::Tensor out;
    std::tie(out, kept->gate, kept->h, kept->prev_gate, kept->m, kept->logits,
             kept->mean, kept->rstd) =
        detail::ordered_rows(
            kept->lists.nodes, kept->lists.in.rowptr, kept->lists.in.col,
            when_defined(kept->row_scale), when_defined(kept->col_scale), h,
            prev_gate, gate_weight, gate_bias, norm_weight, norm_bias,
            kept->mode, eps, kept->p, key.seed, key.step, key.site);
    kept->gate_weight = gate_weight.detach();
    kept->norm_weight = norm_weight.detach();
    detail::keep_until_spent(ctx, kept);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto kept = detail::spend<KeptRows>(ctx, "ordered_rows");
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const ReceiverLists& lists = kept->lists;
    const DropoutKey& key = kept->key;
    auto [d_own, d_m, d_prev, d_weight, d_bias, d_norm_weight, d_norm_bias] =
        detail::ordered_rows_backward(
            lists.nodes, kept->h, when_defined(kept->prev_gate),
            kept->gate_weight, kept->norm_weight, kept->gate, kept->m,
            kept->logits, kept->mean, kept->rstd, grads[0], kept->mode, kept->p,
            key.seed, key.step, key.site);
    // Room for the gradient of all rows.
    kept->h = kept->m = kept->logits = at::Tensor();
    const at::Tensor d_h =
        detail::spread_rows(lists.nodes, lists.place, lists.out.rowptr,
                            lists.out.col, when_defined(kept->row_scale),
                            when_defined(kept->col_scale), d_own, d_m);
    at::Tensor d_gate;
    if (d_prev.defined()) {
      d_gate = at::zeros({d_h.size(0), d_prev.size(1)}, d_prev.options());
      d_gate.index_copy_(0, lists.nodes, d_prev);
    }
    return {d_h,           d_gate,      d_weight,     d_bias,
            d_norm_weight, d_norm_bias, at::Tensor(), at::Tensor()};
  }
};

}  // namespace
}  // namespace autograd

at::Tensor ordered_rows(const Graph& graph, const ReceiverLists& lists,
                        const at::Tensor& row_scale,
                        const at::Tensor& col_scale, const at::Tensor& h,
                        const at::Tensor& prev_gate,
                        const OrderedLayerParameters& parameters,
                        const OrderedLayerSettings& settings) {
  if (!h.is_cuda()) {
    return ordered_layer(graph, row_scale, col_scale, h, prev_gate, parameters,
                         settings)
        .h.index_select(0, lists.nodes);
  }
  const detail::GateMode mode =
      detail::layer_mode(settings.gating, prev_gate.defined());
  detail::check_ordered_layer(
      graph.in().rowptr, graph.in().col, detail::when_defined(row_scale),
      detail::when_defined(col_scale), h, detail::when_defined(prev_gate),
      parameters.gate_weight, parameters.gate_bias, parameters.norm_weight,
      parameters.norm_bias, static_cast<int64_t>(mode), settings.dropout);
  const auto kept = c10::make_intrusive<autograd::KeptRows>();
  kept->lists = lists;
  kept->row_scale = row_scale;
  kept->col_scale = col_scale;
  kept->mode = static_cast<int64_t>(mode);
  kept->p = settings.dropout;
  kept->key = settings.dropout_key;
  return autograd::OrderedRows::apply(
      h, detail::when_defined(prev_gate), parameters.gate_weight,
      parameters.gate_bias, parameters.norm_weight, parameters.norm_bias, kept,
      settings.norm_eps);
}

}  // namespace ordered_gnn
