// Ops whose rows are stored in bfloat16, with parameters in float, against the
// CPU in double on the same rounded inputs.
#include "cuda/stack_support.h"
#include "ordered_gnn/ops/dropout.h"
#include "support/bf16_checks.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaBFloat16 : public CudaTest {};

TEST_F(CudaBFloat16, DropoutKeepsTheSameElements) {
  for (const int64_t size : {0, 1, 7, 8, 9, 255, 100003}) {
    SCOPED_TRACE(size);
    const at::Tensor x =
        uniform({size}, 3, 1, 2).to(at::kBFloat16).to(at::kFloat);
    const at::Tensor expected = dropout(x, 0.4, kLayerKey);
    const at::Tensor got =
        dropout(x.cuda().to(at::kBFloat16), 0.4, kLayerKey).cpu();
    EXPECT_TRUE(torch::equal(got.ne(0), expected.ne(0)));
    EXPECT_TRUE(within(got, expected, kBf16Tolerance, 0));
  }
}

TEST_F(CudaBFloat16, Linear) { expect_linear_in_bf16(at::kCUDA); }

TEST_F(CudaBFloat16, PairsAndGates) {
  expect_pairs_and_gates_in_bf16(at::kCUDA);
}

TEST_F(CudaBFloat16, LayerNorm) {
  expect_layer_norm_in_bf16(at::kCUDA, {5, 33, 64, 256, 257, 300, 1028});
}

// Against the ops one after the other on the GPU: where rounding turns a relu
// on or off, the CPU in double has other gradients.
TEST_F(CudaBFloat16, InputStack) {
  for (const int64_t width : {33, 64, 256, 260}) {
    for (const bool product : {true, false}) {
      SCOPED_TRACE("width " + std::to_string(width) + " product " +
                   std::to_string(product));
      StackCase stack;
      stack.width = width;
      stack.product = product;
      Tensors in = stack_inputs(stack);
      for (size_t i = 0; i < in.size(); ++i) {
        in[i] = in[i].to(i == 0 ? at::kBFloat16 : at::kFloat);
      }
      const auto run = [&](const DeviceFunction& f) {
        return results_on(at::kCUDA, f, in, at::kBFloat16);
      };
      const Tensors got = run(stack_on(stack));
      const Tensors expected = run(composed_stack_on(stack));
      EXPECT_TRUE(torch::equal(got[0], expected[0]));
      for (size_t i = 1; i < got.size(); ++i) {
        EXPECT_TRUE(within(got[i], expected[i], 1e-2, 0)) << "result " << i;
      }
      expect_same_bits(got, run(stack_on(stack)));
      stack.recompute = true;
      expect_same_bits(got, run(stack_on(stack)));
    }
  }
}

TEST_F(CudaBFloat16, FeatureLinear) {
  expect_feature_linear_in_bf16(at::kCUDA, {5, 64, 256, 300});
}

TEST_F(CudaBFloat16, ScaledAggregates) {
  expect_aggregates_in_bf16(at::kCUDA, {1, 5, 64, 256, 301});
}

TEST_F(CudaBFloat16, CrossEntropyHasALossInFloat) {
  expect_cross_entropy_in_bf16(at::kCUDA, {1, 5, 40, 100});
}

TEST_F(CudaBFloat16, OrderedLayerOfEveryWidth) {
  expect_layers_in_bf16(at::kCUDA, random_graph(300, 1500, 5),
                        {{5, 1},
                         {5, 5},
                         {33, 11},
                         {37, 37},
                         {64, 16},
                         {256, 64},
                         {256, 32},
                         {257, 257},
                         {260, 65},
                         {300, 75},
                         {512, 128},
                         {1028, 257}});
}

TEST_F(CudaBFloat16, OrderedLayerMayReuseMemory) {
  const Graph graph = random_graph(70000, 200000, 9);
  LayerCase layer;
  layer.dropout = 0.2;
  layer.reuse = true;
  for (const bool first : {false, true}) {
    layer.first = first;
    expect_layer_in_bf16(at::kCUDA, graph, layer, 64, 256);
  }
}

TEST_F(CudaBFloat16, OrderedLayerOf256ColumnsInEverySetting) {
  for (const int64_t rows : {1, 7, 2000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const double p : {0.0, 0.4}) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE("rows " + std::to_string(rows) + " dropout " +
                     std::to_string(p) + " first " + std::to_string(first));
        expect_layer_in_bf16(at::kCUDA, graph,
                             {Gating::softor, p, first, /*uses_gate=*/!first},
                             64, 256);
      }
    }
  }
}

}  // namespace
}  // namespace ordered_gnn
