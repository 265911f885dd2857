// A step of training that a tensor holds instead of a number.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/input_stack.h"
#include "ops/op_checks.h"
#include "ops/ordered_stack.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/ordered_layer.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/ordered_layers.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kNodes = 40;
constexpr int64_t kWidth = 24;
constexpr double kRate = 0.4;

at::Tensor step_tensor(int64_t step) {
  return torch::tensor({step}, at::kLong);
}

DropoutKey key_at(DropoutStep step) { return {/*seed=*/9, step, /*site=*/3}; }

struct Case {
  std::string name;
  Tensors inputs;
  std::function<TensorFunction(const DropoutKey&)> with;
};

Tensors layer_tensors() {
  return layers_inputs({Gating::softor, /*layers=*/2, kRate}, kNodes,
                       /*gates=*/6, kWidth, at::kFloat);
}

TensorFunction layer_with(const DropoutKey& key) {
  return [=](const Tensors& in) {
    OrderedLayerSettings settings;
    settings.dropout = kRate;
    settings.dropout_key = key;
    const Graph graph = random_graph(kNodes, 200, 5);
    const OrderedGateResult result =
        ordered_layer(graph, {in[0]}, {in[1], in[2], in[3], in[4]}, settings);
    return Tensors{result.h, result.gate};
  };
}

TensorFunction stack_with(const DropoutKey& key, bool recompute) {
  return [=](const Tensors& in) {
    ops::OrderedStackSettings settings;
    settings.recompute = recompute;
    const Graph graph = random_graph(kNodes, 200, 5);
    const OrderedGateResult result =
        ops::ordered_stack(graph, {in[0]},
                           {{{in[1], in[2], in[3], in[4]}, kRate, key},
                            {{in[5], in[6], in[7], in[8]}, kRate, key}},
                           settings);
    return Tensors{result.h, result.gate.clone()};
  };
}

TensorFunction input_stack_with(const DropoutKey& key, bool recompute) {
  return [=](const Tensors& in) {
    ops::InputStackSettings settings;
    settings.dropout = kRate;
    settings.dropout_key = key;
    settings.recompute = recompute;
    return Tensors{ops::input_stack(
        in[0], {{in[1], in[2], in[3], in[4], kRate}}, settings)};
  };
}

TensorFunction sparse_with(const DropoutKey& key) {
  return [=](const Tensors& in) {
    const NodeFeatures features =
        sparse_from(random_tensor({kNodes, kWidth}, at::kFloat, 31));
    return Tensors{feature_linear(features, in[0], in[1], kRate, key)};
  };
}

std::vector<Case> cases() {
  const auto random = [](at::IntArrayRef sizes, uint64_t seed) {
    return random_tensor(sizes, at::kFloat, seed);
  };
  const Tensors layers = layer_tensors();
  const Tensors one_layer(layers.begin(), layers.begin() + 5);
  const Tensors stack = {random({kNodes, 7}, 1), random({kWidth, 7}, 2),
                         random({kWidth}, 3), random({kWidth}, 4),
                         random({kWidth}, 5)};
  return {
      {"dropout",
       {random({kNodes, kWidth}, 1)},
       [](const DropoutKey& key) -> TensorFunction {
         return [=](const Tensors& in) {
           return Tensors{dropout(in[0], kRate, key)};
         };
       }},
      {"layer_norm",
       {random({kNodes, kWidth}, 1), random({kWidth}, 2), random({kWidth}, 3)},
       [](const DropoutKey& key) -> TensorFunction {
         return [=](const Tensors& in) {
           return Tensors{layer_norm(in[0], in[1], in[2],
                                     {1e-5, /*relu=*/true, kRate, key})};
         };
       }},
      {"feature_linear", {random({5, kWidth}, 1), random({5}, 2)}, sparse_with},
      {"ordered_layer", one_layer, layer_with},
      {"ordered_stack", layers,
       [](const DropoutKey& key) { return stack_with(key, false); }},
      {"ordered_stack that recomputes", layers,
       [](const DropoutKey& key) { return stack_with(key, true); }},
      {"input_stack", stack,
       [](const DropoutKey& key) { return input_stack_with(key, false); }},
      {"input_stack that recomputes", stack,
       [](const DropoutKey& key) { return input_stack_with(key, true); }}};
}

bool all_equal(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!torch::equal(a[i], b[i])) return false;
  }
  return true;
}

TEST(DropoutStep, InATensorGivesTheBitsOfItsNumber) {
  for (const Case& c : cases()) {
    const auto at_step = [&](DropoutStep step) {
      return forward_and_backward(c.with(key_at(std::move(step))), c.inputs);
    };
    const Tensors expected = at_step(7);
    EXPECT_TRUE(all_equal(at_step(step_tensor(7)), expected)) << c.name;
    EXPECT_FALSE(all_equal(at_step(step_tensor(8)), expected)) << c.name;
  }
}

TEST(DropoutStep, InATensorThinsTheSameEdges) {
  const Graph graph = random_graph(kNodes, 200, 5);
  const Graph by_number = drop_edges(graph, kRate, key_at(7));
  const Graph by_tensor = drop_edges(graph, kRate, key_at(step_tensor(7)));
  EXPECT_TRUE(torch::equal(by_tensor.in().col, by_number.in().col));
  EXPECT_TRUE(
      torch::equal(by_tensor.two_hop().in().col, by_number.two_hop().in().col));
}

// What a captured graph does: its kernels read the place again, forward and
// back. Written past LibTorch, as the kernel that counts epochs does.
TEST(DropoutStep, IsReadFromItsTensorWheneverAMaskIsMade) {
  const at::Tensor x = torch::ones({1000}).requires_grad_();
  const at::Tensor step = step_tensor(7);
  const at::Tensor y = dropout(x, kRate, key_at(step));
  *step.data_ptr<int64_t>() = 8;
  y.sum().backward();
  const at::Tensor ones = torch::ones({1000});
  EXPECT_TRUE(torch::equal(y.detach(), dropout(ones, kRate, key_at(7))));
  EXPECT_TRUE(torch::equal(x.grad(), dropout(ones, kRate, key_at(8))));
}

TEST(DropoutStep, RefusesATensorThatIsNoStep) {
  const at::Tensor x = torch::ones({4, 4});
  const auto with = [&](const at::Tensor& step) {
    return [=] { dropout(x, kRate, key_at(step)); };
  };
  expect_error(with(torch::tensor({1.f})),
               "the step must be one int64 number, got [1] Float");
  expect_error(with(torch::zeros({2}, at::kLong)),
               "4 rows, but the step is followed by 1 nodes");
  expect_error(with(torch::zeros({0}, at::kLong)),
               "the step must be one int64 number, got [0] Long");
}

}  // namespace
}  // namespace ordered_gnn
