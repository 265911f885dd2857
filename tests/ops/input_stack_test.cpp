#include "ops/input_stack.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const DropoutKey kStackKey = {/*seed=*/3, /*step=*/5, /*site=*/0};

struct StackCase {
  size_t layers = 3;
  double dropout = 0.3;  // of x and between the layers
  double after = 0.2;    // of the result
  bool product = true;   // whether the first layer has one
  bool recompute = false;
};

ops::InputStackLayer layer_of(const Tensors& in, size_t index,
                              const StackCase& stack) {
  const size_t first = 1 + 4 * index;
  ops::InputStackLayer layer{
      in[first], in[first + 1], in[first + 2], in[first + 3],
      index + 1 < stack.layers ? stack.dropout : stack.after};
  if (index == 0 && !stack.product) layer.weight = layer.bias = at::Tensor();
  return layer;
}

// Inputs are x and then weight, bias, norm weight and norm bias of each layer.
TensorFunction stacked(const StackCase& stack) {
  return [=](const Tensors& in) {
    ops::InputStackSettings settings;
    settings.dropout = stack.dropout;
    settings.dropout_key = kStackKey;
    settings.recompute = stack.recompute;
    std::vector<ops::InputStackLayer> layers;
    for (size_t i = 0; i < stack.layers; ++i) {
      layers.push_back(layer_of(in, i, stack));
    }
    at::Tensor out = ops::input_stack(in[0], layers, settings);
    // All inputs must take part.
    if (!stack.product) out = out + 0 * (in[1].sum() + in[2].sum());
    return Tensors{out};
  };
}

TensorFunction composed(const StackCase& stack) {
  return [=](const Tensors& in) {
    DropoutKey key = kStackKey;
    at::Tensor out = stack.product ? dropout(in[0], stack.dropout, key) : in[0];
    for (size_t i = 0; i < stack.layers; ++i) {
      const ops::InputStackLayer layer = layer_of(in, i, stack);
      ++key.site;
      if (layer.weight.defined()) out = linear(out, layer.weight, layer.bias);
      LayerNormSettings settings;
      settings.relu = true;
      settings.dropout = layer.dropout;
      settings.dropout_key = key;
      out = layer_norm(out, layer.norm_weight, layer.norm_bias, settings);
    }
    if (!stack.product) out = out + 0 * (in[1].sum() + in[2].sum());
    return Tensors{out};
  };
}

Tensors stack_inputs(const StackCase& stack, int64_t rows, int64_t features,
                     int64_t width, at::ScalarType dtype) {
  Tensors in = {
      random_tensor({rows, stack.product ? features : width}, dtype, 91)};
  for (size_t i = 0; i < stack.layers; ++i) {
    const int64_t inputs = i == 0 ? features : width;
    const auto seed = static_cast<int64_t>(100 + 4 * i);
    in.push_back(random_tensor({width, inputs}, dtype, seed) /
                 std::sqrt(static_cast<double>(inputs)));
    in.push_back(random_tensor({width}, dtype, seed + 1));
    in.push_back(random_tensor({width}, dtype, seed + 2, 0.5, 1.5));
    in.push_back(random_tensor({width}, dtype, seed + 3));
  }
  return in;
}

TEST(InputStack, IsTheOpsOneAfterTheOtherForAnyNumberOfLayers) {
  for (const bool product : {true, false}) {
    for (const size_t layers : {1, 2, 3, 5}) {
      for (const double p : {0.0, 0.3}) {
        SCOPED_TRACE(std::to_string(layers) + (product ? " with" : " without") +
                     " a first product, dropout " + std::to_string(p));
        StackCase stack;
        stack.layers = layers;
        stack.dropout = p;
        stack.product = product;
        for (const bool recompute : {false, true}) {
          stack.recompute = recompute;
          expect_matches(stacked(stack), composed(stack),
                         stack_inputs(stack, 70, 9, 16, at::kDouble));
        }
      }
    }
  }
}

TEST(InputStack, GivesTheBitsOfTheOpsOneAfterTheOther) {
  StackCase stack;
  const Tensors inputs = stack_inputs(stack, 300, 37, 64, at::kFloat);
  const Tensors other = forward_and_backward(composed(stack), inputs);
  for (const bool recompute : {false, true}) {
    stack.recompute = recompute;
    const Tensors one = forward_and_backward(stacked(stack), inputs);
    ASSERT_EQ(one.size(), other.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(torch::equal(one[i], other[i])) << "tensor " << i;
    }
  }
}

TEST(InputStack, GradientsFlowToWhoeverAsks) {
  const StackCase stack;
  expect_gradients_flow(stacked(stack),
                        stack_inputs(stack, 8, 5, 12, at::kDouble));
}

TEST(InputStack, FrozenNormsGetNoGradient) {
  const StackCase stack;
  Tensors in = stack_inputs(stack, 20, 5, 12, at::kDouble);
  for (size_t i = 1; i < in.size(); ++i) {
    in[i].requires_grad_((i - 1) % 4 < 2);
  }
  stacked(stack)(in)[0].square().sum().backward();
  for (size_t i = 1; i < in.size(); ++i) {
    EXPECT_EQ(in[i].grad().defined(), (i - 1) % 4 < 2) << i;
  }
  EXPECT_FALSE(in[0].grad().defined());
}

TEST(InputStack, AcceptsStridedInputsAndInferenceMode) {
  const StackCase stack;
  const Tensors inputs = stack_inputs(stack, 50, 6, 16, at::kFloat);
  expect_accepts_strided(stacked(stack), inputs);
  expect_runs_in_inference_mode(stacked(stack), inputs);
}

TEST(InputStack, RefusesWhatDoesNotFit) {
  expect_error(
      [] {
        ops::input_stack(torch::zeros({2, 3}), {}, {});
      },
      "at least one layer");
  const StackCase stack;
  Tensors inputs = stack_inputs(stack, 5, 6, 8, at::kFloat);
  inputs[5] = torch::zeros({8, 7});
  expect_error([&] { stacked(stack)(inputs); }, "weight");
}

}  // namespace
}  // namespace ordered_gnn
