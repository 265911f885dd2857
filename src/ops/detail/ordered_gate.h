#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

void check_ordered_gate(int64_t mode, const at::Tensor& logits,
                        const at::Tensor& prev_gate, const at::Tensor& h,
                        const at::Tensor& m);

/// Calls the registered op: {h', gate}. `mode` is kernels::GateMode.
std::tuple<at::Tensor, at::Tensor> ordered_gate(int64_t mode,
                                                const at::Tensor& logits,
                                                const at::Tensor& prev_gate,
                                                const at::Tensor& h,
                                                const at::Tensor& m);

/// Calls the registered op: gradients of logits, prev_gate, h and m.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(int64_t mode, const at::Tensor& logits,
                      const at::Tensor& prev_gate, const at::Tensor& h,
                      const at::Tensor& m, const at::Tensor& gate,
                      const at::Tensor& grad_h,
                      const optional<at::Tensor>& grad_gate);

}  // namespace ordered_gnn::detail
