#pragma once
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <functional>
#include <vector>

#include "support/tensors.h"

/// Comparison of the two devices, for the tests labelled cuda.
namespace ordered_gnn {

using Tensors = std::vector<at::Tensor>;

/// Computes on the device of its inputs; the device is told for what else has
/// to be moved there.
using DeviceFunction =
    std::function<Tensors(at::Device device, const Tensors& inputs)>;

class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Largest difference against the largest number expected: sums of many terms
/// of both signs round by more than their own size tells.
inline testing::AssertionResult agrees(const at::Tensor& got,
                                       const at::Tensor& expected) {
  if (got.sizes() != expected.sizes()) {
    return testing::AssertionFailure()
           << "shape " << got.sizes() << " instead of " << expected.sizes();
  }
  if (got.numel() == 0) return testing::AssertionSuccess();
  const double tolerance = got.scalar_type() == at::kFloat ? 5e-5 : 1e-11;
  const at::Tensor a = got.to(at::kDouble).cpu(), b = expected.to(at::kDouble);
  const double error = (a - b).abs().max().item<double>();
  const double size = b.abs().max().item<double>();
  // Written so that a NaN fails.
  if (error <= tolerance * (1 + size)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "differs by " << error << " where numbers go up to " << size;
}

/// Outputs of f on a device, then the gradients of all inputs for fixed random
/// output gradients; all on the CPU.
inline Tensors results_on(at::Device device, const DeviceFunction& f,
                          const Tensors& inputs) {
  Tensors leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(input.to(device, /*non_blocking=*/false, /*copy=*/true)
                         .requires_grad_());
  }
  Tensors results = f(device, leaves);
  Tensors directions;
  for (const at::Tensor& output : results) {
    directions.push_back(random_tensor(output.sizes(), output.scalar_type(),
                                       311 + directions.size())
                             .to(device));
  }
  const Tensors gradients =
      torch::autograd::grad(results, leaves, directions, /*retain_graph=*/false,
                            /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < leaves.size(); ++i) {
    results.push_back(gradients[i].defined() ? gradients[i]
                                             : at::zeros_like(leaves[i]));
  }
  for (at::Tensor& result : results) result = result.detach().cpu();
  return results;
}

/// In both precisions the GPU's outputs and gradients are those of the CPU in
/// double, and a second run on the GPU gives the same bits.
inline void expect_parity(const DeviceFunction& f, const Tensors& inputs) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    SCOPED_TRACE(c10::toString(dtype));
    Tensors exact, typed;
    for (const at::Tensor& input : inputs) {
      exact.push_back(input.to(at::kFloat).to(at::kDouble));
      typed.push_back(exact.back().to(dtype));
    }
    const Tensors expected = results_on(at::kCPU, f, exact);
    const Tensors got = results_on(at::kCUDA, f, typed);
    const Tensors again = results_on(at::kCUDA, f, typed);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(agrees(got[i], expected[i])) << "result " << i;
      EXPECT_TRUE(torch::equal(got[i], again[i]))
          << "result " << i << " changes from run to run";
    }
  }
}

}  // namespace ordered_gnn
