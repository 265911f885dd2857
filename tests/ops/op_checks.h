#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "support/gradcheck.h"

/// What every op has to satisfy, written once. An op under test is a
/// TensorFunction of its differentiable inputs.
namespace ordered_gnn {

using Tensors = std::vector<at::Tensor>;

/// Widths below, at and above the vector sizes, most of them no multiple.
constexpr int64_t kWidths[] = {1, 5, 16, 37, 64, 256};

/// Outputs of f and then the gradients of their projection on fixed random
/// directions; with `strided`, from inputs and output gradients with gaps.
Tensors forward_and_backward(const TensorFunction& f, const Tensors& inputs,
                             bool strided = false);

/// Outputs and gradients agree with those of `reference`, which computes in
/// float64.
void expect_matches(const TensorFunction& op, const TensorFunction& reference,
                    const Tensors& inputs);

/// Inputs that are not contiguous give the same outputs and gradients.
void expect_accepts_strided(const TensorFunction& op, const Tensors& inputs);

/// Some output requires grad when one input does, whichever it is, and none
/// does when no input does or grad mode is off.
void expect_gradients_flow(const TensorFunction& op, const Tensors& inputs);

/// Left out, the input at `place` is as good as zeros that get no gradient: the
/// same bits.
void expect_absent_is_zeros(const TensorFunction& op, Tensors inputs,
                            size_t place);

/// Outputs and gradients are the same bits with 1, 2 and 5 threads.
void expect_same_bits_for_any_threads(const TensorFunction& op,
                                      const Tensors& inputs);

/// Inference mode gives the outputs of normal mode, on many threads.
void expect_runs_in_inference_mode(const TensorFunction& op,
                                   const Tensors& inputs);

/// Runs body once per instruction set this machine has, then restores.
void for_every_simd_level(const std::function<void()>& body);

/// The call throws c10::Error with `part` in its message.
void expect_error(const std::function<void()>& call, const std::string& part);

/// The dispatcher knows the op `ordered_gnn::<name>`.
bool is_registered(const std::string& name);

}  // namespace ordered_gnn
