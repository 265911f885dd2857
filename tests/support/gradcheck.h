#pragma once
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ordered_gnn {

/// A differentiable function under test: outputs from inputs.
using TensorFunction =
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

struct GradcheckOptions {
  double step = 1e-6;
  double relative = 1e-5;
  double absolute = 1e-7;
};

/// Compares autograd with central differences in float64.
///
/// All outputs are projected on fixed random directions and added up, so one
/// backward pass covers them together:
///
///   d/dx_i sum_k <w_k, f_k(x)> = (f(x + s e_i) - f(x - s e_i)) / (2 s)
///
/// @param inputs  float64, any shape; f is checked in every element of each.
/// @return        failure naming the input, the element and both numbers.
testing::AssertionResult gradients_match(const TensorFunction& f,
                                         const std::vector<NamedTensor>& inputs,
                                         const GradcheckOptions& options = {});

}  // namespace ordered_gnn
