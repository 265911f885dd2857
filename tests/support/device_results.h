#pragma once
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

/// Outputs and gradients of a function on some device, and how they compare.
namespace ordered_gnn {

using Tensors = std::vector<at::Tensor>;

/// Computes on the device of its inputs; the device is told for what else has
/// to be moved there.
using DeviceFunction =
    std::function<Tensors(at::Device device, const Tensors& inputs)>;

at::Tensor uniform(at::IntArrayRef sizes, uint64_t seed, double low = -1,
                   double high = 1);

/// Largest difference against the largest number expected: sums of many terms
/// of both signs round by more than their own size tells.
testing::AssertionResult within(const at::Tensor& got,
                                const at::Tensor& expected, double relative,
                                double absolute);

/// Outputs of f on a device, then the gradients of all inputs for fixed random
/// output gradients, which are numbers of the type `directions`; all on the
/// CPU.
Tensors results_on(at::Device device, const DeviceFunction& f,
                   const Tensors& inputs,
                   at::ScalarType directions = at::kFloat);

/// A second run gives the same bits.
void expect_same_bits(const Tensors& got, const Tensors& again);

}  // namespace ordered_gnn
