#pragma once
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace ordered_gnn {

/// Uniform numbers in [low, high) fixed by the seed. Every value fits float32,
/// so the float64 tensor of one seed holds the same numbers as the float32 one.
at::Tensor random_tensor(at::IntArrayRef sizes, at::ScalarType dtype,
                         uint64_t seed, double low = -1, double high = 1);

/// The same values in a layout with gaps between all elements.
at::Tensor strided_copy(const at::Tensor& tensor);

/// Same shape, and every element within a tolerance that suits the dtype of
/// `got`; `expected` may be wider. Failures name the worst element.
testing::AssertionResult close_to(const at::Tensor& got,
                                  const at::Tensor& expected);

}  // namespace ordered_gnn
