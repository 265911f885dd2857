#pragma once
#include "ops/detail/ordered_gate.h"

// ordered_gate() on rows in bfloat16; the blend takes the gate as it is stored.
namespace ordered_gnn::cpu::bf16 {

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const detail::OrderedGateArguments& arguments);

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const detail::OrderedGateBackwardArguments& arguments);

}  // namespace ordered_gnn::cpu::bf16
