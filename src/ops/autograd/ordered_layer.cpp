#include "ops/detail/ordered_layer.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using detail::OrderedLayerOutputs;
using detail::value_or_undefined;
using detail::when_defined;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct OrderedLayer : torch::autograd::Function<OrderedLayer> {
  static variable_list forward(
      AutogradContext* ctx, const at::Tensor& rowptr, const at::Tensor& col,
      const at::Tensor& t_rowptr, const at::Tensor& t_col,
      const optional<at::Tensor>& row_scale,
      const optional<at::Tensor>& col_scale, const at::Tensor& h,
      const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
      const at::Tensor& gate_bias, const at::Tensor& norm_weight,
      const at::Tensor& norm_bias, int64_t mode, double eps, double p,
      int64_t seed, int64_t step, int64_t site, bool reuse_memory) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate, m, logits, mean, rstd] = detail::ordered_layer(
        rowptr, col, t_rowptr, t_col, row_scale, col_scale, h, prev_gate,
        gate_weight, gate_bias, norm_weight, norm_bias, mode, eps, p, seed,
        step, site, reuse_memory, /*keep=*/true);
    ctx->saved_data["mode"] = mode;
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = seed;
    ctx->saved_data["step"] = step;
    ctx->saved_data["site"] = site;
    ctx->saved_data["reuse_memory"] = reuse_memory;
    ctx->save_for_backward(
        {rowptr, col, t_rowptr, t_col, value_or_undefined(row_scale),
         value_or_undefined(col_scale), h, value_or_undefined(prev_gate),
         gate_weight, norm_weight, gate, m, logits, mean, rstd});
    // The gate of the last layer is not used further: no zeros for it.
    ctx->set_materialize_grads(false);
    return {out, gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad_out =
        grads[0].defined() ? grads[0] : at::zeros_like(saved[6]);
    const bool reuse_memory = ctx->saved_data["reuse_memory"].toBool();
    if (reuse_memory && grad_out.is_cuda()) {
      TORCH_CHECK(ctx->saved_data.count("spent") == 0,
                  "ordered_layer: with reuse_memory backward runs once; leave "
                  "that setting off to run it again");
      ctx->saved_data["spent"] = true;
    }
    const auto number = [&](const char* name) {
      return ctx->saved_data[name].toInt();
    };
    auto [d_h, d_prev, d_weight, d_bias, d_norm_weight, d_norm_bias] =
        detail::ordered_layer_backward(
            saved[0], saved[1], saved[2], saved[3], when_defined(saved[4]),
            when_defined(saved[5]), saved[6], when_defined(saved[7]), saved[8],
            saved[9], saved[10], when_defined(saved[11]), saved[12], saved[13],
            saved[14], grad_out, when_defined(grads[1]), number("mode"),
            ctx->saved_data["p"].toDouble(), number("seed"), number("step"),
            number("site"), reuse_memory);
    // It may be the gate itself, which is a result of this node.
    if (d_prev.defined()) d_prev = d_prev.detach();
    const at::Tensor none;
    return {none,   none,     none,   none,          none,        none, d_h,
            d_prev, d_weight, d_bias, d_norm_weight, d_norm_bias, none, none,
            none,   none,     none,   none,          none};
  }
};

OrderedLayerOutputs ordered_layer(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site, bool reuse_memory,
    bool /*keep*/) {
  // Without a gradient to come nothing is kept: a layer's memory is gone with
  // the layer.
  if (!at::GradMode::is_enabled()) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    return detail::ordered_layer(rowptr, col, t_rowptr, t_col, row_scale,
                                 col_scale, h, prev_gate, gate_weight,
                                 gate_bias, norm_weight, norm_bias, mode, eps,
                                 p, seed, step, site, reuse_memory,
                                 /*keep=*/false);
  }
  const variable_list results = OrderedLayer::apply(
      rowptr, col, t_rowptr, t_col, row_scale, col_scale, h, prev_gate,
      gate_weight, gate_bias, norm_weight, norm_bias, mode, eps, p, seed, step,
      site, reuse_memory);
  return {results[0], results[1], {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_layer", ordered_layer);
}

}  // namespace ordered_gnn::autograd
