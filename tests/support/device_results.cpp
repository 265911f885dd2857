#include "support/device_results.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "support/tensors.h"

namespace ordered_gnn {

at::Tensor uniform(at::IntArrayRef sizes, uint64_t seed, double low,
                   double high) {
  return random_tensor(sizes, at::kDouble, seed, low, high);
}

testing::AssertionResult within(const at::Tensor& got,
                                const at::Tensor& expected, double relative,
                                double absolute) {
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

Tensors results_on(at::Device device, const DeviceFunction& f,
                   const Tensors& inputs, at::ScalarType directions) {
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

void expect_same_bits(const Tensors& got, const Tensors& again) {
  ASSERT_EQ(got.size(), again.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(torch::equal(got[i], again[i]))
        << "result " << i << " changes from run to run";
  }
}

}  // namespace ordered_gnn
