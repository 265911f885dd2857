#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

/// Results of the registered op `ordered_rows`, all for R rows: out, gate, and
/// for backward h, prev_gate (undefined without one), m, logits, mean, rstd.
using OrderedRowsOutputs =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op, which GPUs have.
OrderedRowsOutputs ordered_rows(
    const at::Tensor& nodes, const at::Tensor& rowptr, const at::Tensor& col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site);

/// Calls the registered op: for the R rows, gradients of h, m and prev_gate;
/// and of gate_weight, gate_bias, norm_weight and norm_bias. Overwrites
/// grad_out, gate and logits.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor, at::Tensor>
ordered_rows_backward(const at::Tensor& nodes, const at::Tensor& h,
                      const optional<at::Tensor>& prev_gate,
                      const at::Tensor& gate_weight,
                      const at::Tensor& norm_weight, const at::Tensor& gate,
                      const at::Tensor& m, const at::Tensor& logits,
                      const at::Tensor& mean, const at::Tensor& rstd,
                      const at::Tensor& grad_out, int64_t mode, double p,
                      int64_t seed, int64_t step, int64_t site);

/// Calls the registered op: [N, D], the gradients of m that reach a node
/// through the rows that it sends to, and that of its own row where it has a
/// place.
at::Tensor spread_rows(const at::Tensor& nodes, const at::Tensor& place,
                       const at::Tensor& t_rowptr, const at::Tensor& t_col,
                       const optional<at::Tensor>& row_scale,
                       const optional<at::Tensor>& col_scale,
                       const at::Tensor& grad_h, const at::Tensor& grad_m);

}  // namespace ordered_gnn::detail
