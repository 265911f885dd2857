#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

/// Calls the registered op, which GPUs have: out, gate, and for backward
/// logits, mean and rstd.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const at::Tensor& nodes, const at::Tensor& h, const at::Tensor& m,
             const optional<at::Tensor>& prev_gate,
             const at::Tensor& gate_weight, const at::Tensor& gate_bias,
             const at::Tensor& norm_weight, const at::Tensor& norm_bias,
             int64_t mode, double eps, double p, int64_t seed, int64_t step,
             int64_t site);

/// Calls the registered op: gradients of h, m, prev_gate, gate_weight,
/// gate_bias, norm_weight and norm_bias. Overwrites grad_out, gate and logits.
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

}  // namespace ordered_gnn::detail
