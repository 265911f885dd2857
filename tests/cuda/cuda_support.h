#pragma once
#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cstdlib>

#include "support/device_results.h"
#include "support/tensors.h"

/// Comparison of the two devices, for the tests labelled cuda.
namespace ordered_gnn {

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

/// within() to what the type of `got` can hold.
inline testing::AssertionResult agrees(const at::Tensor& got,
                                       const at::Tensor& expected) {
  const double tolerance = got.scalar_type() == at::kFloat ? 5e-5 : 1e-11;
  return within(got, expected, tolerance, tolerance);
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
