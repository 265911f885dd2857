#pragma once
#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cstdlib>
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
    if (!torch::cuda::is_available()) {
      // `make test-cuda` is no success when it tested nothing.
      if (std::getenv("OGNN_REQUIRE_CUDA") != nullptr) {
        FAIL() << "OGNN_REQUIRE_CUDA is set and there is no CUDA device";
      }
      GTEST_SKIP() << "no CUDA device";
    }
    // A run with other math leaves this switch of the whole process set.
    at::globalContext().setAllowTF32CuBLAS(false);
  }
};

inline at::Tensor uniform(at::IntArrayRef sizes, uint64_t seed, double low = -1,
                          double high = 1) {
  return random_tensor(sizes, at::kDouble, seed, low, high);
}

/// Largest difference against the largest number expected: sums of many terms
/// of both signs round by more than their own size tells.
inline testing::AssertionResult within(const at::Tensor& got,
                                       const at::Tensor& expected,
                                       double relative, double absolute) {
  if (got.sizes() != expected.sizes()) {
    return testing::AssertionFailure()
           << "shape " << got.sizes() << " instead of " << expected.sizes();
  }
  if (got.numel() == 0) return testing::AssertionSuccess();
  const at::Tensor a = got.to(at::kDouble).cpu(), b = expected.to(at::kDouble);
  const double error = (a - b).abs().max().item<double>();
  const double size = b.abs().max().item<double>();
  // Written so that a NaN fails.
  if (error <= absolute + relative * size) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "differs by " << error << " where numbers go up to " << size;
}

/// within() to what the type of `got` can hold.
inline testing::AssertionResult agrees(const at::Tensor& got,
                                       const at::Tensor& expected) {
  const double tolerance = got.scalar_type() == at::kFloat ? 5e-5 : 1e-11;
  return within(got, expected, tolerance, tolerance);
}

/// Outputs of f on a device, then the gradients of all inputs for fixed random
/// output gradients, which are numbers of the type `directions`; all on the
/// CPU.
inline Tensors results_on(at::Device device, const DeviceFunction& f,
                          const Tensors& inputs,
                          at::ScalarType directions = at::kFloat) {
  Tensors leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(input.to(device, /*non_blocking=*/false, /*copy=*/true)
                         .requires_grad_());
  }
  Tensors results = f(device, leaves);
  Tensors output_gradients;
  for (const at::Tensor& output : results) {
    output_gradients.push_back(
        random_tensor(output.sizes(), directions, 311 + output_gradients.size())
            .to(output.options()));
  }
  const Tensors gradients = torch::autograd::grad(
      results, leaves, output_gradients, /*retain_graph=*/false,
      /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < leaves.size(); ++i) {
    results.push_back(gradients[i].defined() ? gradients[i]
                                             : at::zeros_like(leaves[i]));
  }
  for (at::Tensor& result : results) result = result.detach().cpu();
  return results;
}

/// A second run gives the same bits.
inline void expect_same_bits(const Tensors& got, const Tensors& again) {
  ASSERT_EQ(got.size(), again.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(torch::equal(got[i], again[i]))
        << "result " << i << " changes from run to run";
  }
}

/// In both precisions the GPU's outputs and gradients are those of the CPU in
/// double, and a second run on the GPU gives the same bits.
inline void expect_parity(const DeviceFunction& f, const Tensors& inputs) {
  Tensors exact;
  for (const at::Tensor& input : inputs) {
    exact.push_back(input.to(at::kFloat).to(at::kDouble));
  }
  const Tensors expected = results_on(at::kCPU, f, exact);
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    SCOPED_TRACE(c10::toString(dtype));
    Tensors typed;
    for (const at::Tensor& input : exact) typed.push_back(input.to(dtype));
    const Tensors got = results_on(at::kCUDA, f, typed);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(agrees(got[i], expected[i])) << "result " << i;
    }
    expect_same_bits(got, results_on(at::kCUDA, f, typed));
  }
}

}  // namespace ordered_gnn
