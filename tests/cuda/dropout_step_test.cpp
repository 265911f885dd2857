#include "cuda/cuda_support.h"
#include "cuda/stack_support.h"
#include "ordered_gnn/ops/dropout.h"
#include "support/device_layer.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaDropoutStep : public CudaTest {
 protected:
  static at::Tensor on_device(int64_t step) {
    return torch::tensor({step}, at::kLong).to(at::kCUDA);
  }
};

TEST_F(CudaDropoutStep, InATensorGivesTheBitsOfItsNumber) {
  const at::Tensor x = uniform({300, 37}, 1);
  const auto with = [](const DropoutStep& step) -> DeviceFunction {
    return [=](at::Device, const Tensors& in) {
      return Tensors{dropout(in[0], 0.4, {/*seed=*/5, step, /*site=*/2})};
    };
  };
  const Tensors expected = results_on(at::kCUDA, with(11), {x});
  expect_same_bits(results_on(at::kCUDA, with(on_device(11)), {x}), expected);
  EXPECT_FALSE(torch::equal(results_on(at::kCUDA, with(on_device(12)), {x})[0],
                            expected[0]));
}

TEST_F(CudaDropoutStep, ReachesBackwardOfAnInputStack) {
  for (const bool recompute : {false, true}) {
    StackCase stack;
    stack.recompute = recompute;
    const auto with = [&](const DropoutStep& step) -> DeviceFunction {
      return [=](at::Device, const Tensors& in) {
        ops::InputStackSettings settings;
        settings.dropout = stack.dropout;
        settings.dropout_key = {/*seed=*/5, step, /*site=*/0};
        settings.recompute = stack.recompute;
        return Tensors{
            ops::input_stack(in[0], stack_layers(stack, in), settings)};
      };
    };
    const Tensors in = stack_inputs(stack);
    expect_same_bits(results_on(at::kCUDA, with(on_device(11)), in),
                     results_on(at::kCUDA, with(11), in));
  }
}

TEST_F(CudaDropoutStep, ReachesBackwardOfALayer) {
  const Graph graph = random_graph(200, 900, 3).to(at::kCUDA);
  const auto with = [&](const DropoutStep& step) -> DeviceFunction {
    return [=](at::Device, const Tensors& in) {
      OrderedLayerSettings settings;
      settings.dropout = 0.3;
      settings.dropout_key = {/*seed=*/5, step, /*site=*/2};
      return Tensors{ordered_layer(graph, {in[0], in[1]},
                                   {in[2], in[3], in[4], in[5]}, settings)
                         .h};
    };
  };
  const Tensors in = layer_inputs(200, 16, 64);
  expect_same_bits(results_on(at::kCUDA, with(on_device(11)), in),
                   results_on(at::kCUDA, with(11), in));
}

TEST_F(CudaDropoutStep, MustBeOnTheDeviceOfTheRows) {
  const at::Tensor x = torch::ones({4}, at::device(at::kCUDA));
  EXPECT_THROW(dropout(x, 0.5, {1, torch::tensor({7}, at::kLong), 0}),
               c10::Error);
}

}  // namespace
}  // namespace ordered_gnn
