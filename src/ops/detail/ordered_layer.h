#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/gate_mode.h"
#include "ops/detail/optional.h"
#include "ordered_gnn/ops/ordered_gate.h"

namespace ordered_gnn::detail {

/// Results of the registered op `ordered_layer`: out [N, D], gate [N, G], and
/// for backward m [N, D], logits [N, G], mean [N], rstd [N]. Without `keep` the
/// last four are undefined, and m is undefined too where gathering it again is
/// cheaper. prev_gate is needed in mode softor only; `reuse_memory` is meant
/// for backward.
using OrderedLayerOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor,
                                       at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op.
OrderedLayerOutputs ordered_layer(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site, bool reuse_memory, bool keep);

/// Calls the registered op: gradients of h, prev_gate, gate_weight, gate_bias,
/// norm_weight and norm_bias. With `reuse_memory` the first may be grad_out,
/// the second gate or grad_gate, and logits may be overwritten.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor>
ordered_layer_backward(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& norm_weight, const at::Tensor& gate,
    const optional<at::Tensor>& m, const at::Tensor& logits,
    const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& grad_out,
    const optional<at::Tensor>& grad_gate, int64_t mode, double p, int64_t seed,
    int64_t step, int64_t site, bool reuse_memory);

/// Calls the registered op, which GPUs have: out and gate of a layer, to the
/// bit, from the m and the logits that it kept.
std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const at::Tensor& h, const optional<at::Tensor>& prev_gate,
    const at::Tensor& m, const at::Tensor& logits,
    const at::Tensor& norm_weight, const at::Tensor& norm_bias, int64_t mode,
    double eps, double p, int64_t seed, int64_t step, int64_t site);

/// The mode of a layer's gate.
/// @throws c10::Error when gating is none or simple.
GateMode layer_mode(Gating gating, bool has_prev_gate);

void check_ordered_layer(const at::Tensor& rowptr, const at::Tensor& col,
                         const optional<at::Tensor>& row_scale,
                         const optional<at::Tensor>& col_scale,
                         const at::Tensor& h,
                         const optional<at::Tensor>& prev_gate,
                         const at::Tensor& gate_weight,
                         const at::Tensor& gate_bias,
                         const at::Tensor& norm_weight,
                         const at::Tensor& norm_bias, int64_t mode, double p);
/// All of it but the lists and their scales.
void check_layer_rows(const at::Tensor& h,
                      const optional<at::Tensor>& prev_gate,
                      const at::Tensor& gate_weight,
                      const at::Tensor& gate_bias,
                      const at::Tensor& norm_weight,
                      const at::Tensor& norm_bias, int64_t mode, double p);

}  // namespace ordered_gnn::detail
