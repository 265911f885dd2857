// Ops whose rows are stored in bfloat16, with parameters in float, against the
// CPU in double on the same rounded inputs.
#include "cuda/layer_support.h"
#include "cuda/stack_support.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/features.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaBFloat16 : public CudaTest {};

// Eight bits are stored; a few roundings may add up.
constexpr double kTolerance = 2e-2;

at::Tensor rounded(const at::Tensor& x) {
  return x.to(at::kBFloat16).to(at::kFloat);
}

// f takes the rows first, then the parameters, and returns rows alone.
void expect_bfloat16(const DeviceFunction& f, const Tensors& rows,
                     const Tensors& parameters, double tolerance = kTolerance) {
  Tensors exact, stored;
  for (const at::Tensor& x : rows) {
    stored.push_back(x.to(at::kBFloat16));
    exact.push_back(stored.back().to(at::kDouble));
  }
  for (const at::Tensor& parameter : parameters) {
    stored.push_back(parameter.to(at::kFloat));
    exact.push_back(stored.back().to(at::kDouble));
  }
  const auto on_gpu = [&] {
    return results_on(at::kCUDA, f, stored, at::kBFloat16);
  };
  const Tensors expected = results_on(at::kCPU, f, exact, at::kBFloat16);
  const Tensors got = on_gpu();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (i + stored.size() < got.size()) {
      EXPECT_EQ(got[i].scalar_type(), at::kBFloat16) << "result " << i;
    }
    EXPECT_TRUE(within(got[i], expected[i], tolerance, 1e-2 * tolerance))
        << "result " << i;
  }
  expect_same_bits(got, on_gpu());
}

TEST_F(CudaBFloat16, DropoutKeepsTheSameElements) {
  for (const int64_t size : {0, 1, 7, 8, 9, 255, 100003}) {
    SCOPED_TRACE(size);
    const at::Tensor x = rounded(uniform({size}, 3, 1, 2));
    const at::Tensor expected = dropout(x, 0.4, kLayerKey);
    const at::Tensor got =
        dropout(x.cuda().to(at::kBFloat16), 0.4, kLayerKey).cpu();
    EXPECT_TRUE(torch::equal(got.ne(0), expected.ne(0)));
    EXPECT_TRUE(within(got, expected, kTolerance, 0));
  }
}

TEST_F(CudaBFloat16, Linear) {
  for (const int64_t rows : {0, 1, 257}) {
    for (const int64_t out : {5, 64}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " out " +
                   std::to_string(out));
      expect_bfloat16(
          [](at::Device, const Tensors& in) {
            return Tensors{linear(in[0], in[1], in[2])};
          },
          {uniform({rows, 37}, 1)}, {uniform({out, 37}, 2), uniform({out}, 3)});
    }
  }
}

TEST_F(CudaBFloat16, LayerNorm) {
  for (const int64_t width : {5, 33, 64, 256, 257, 300, 1028}) {
    for (const int64_t rows : {0, 1, 300}) {
      for (const bool relu : {false, true}) {
        SCOPED_TRACE("width " + std::to_string(width) + " rows " +
                     std::to_string(rows) + " relu " + std::to_string(relu));
        expect_bfloat16(
            [relu](at::Device, const Tensors& in) {
              return Tensors{layer_norm(in[0], in[1], in[2],
                                        {1e-5, relu, 0.3, kLayerKey})};
            },
            {uniform({rows, width}, 8)},
            {uniform({width}, 9, 0.5, 1.5), uniform({width}, 10)});
      }
    }
  }
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
  const at::Tensor dense = rounded(random_tensor({300, 50}, at::kFloat, 11));
  const at::Tensor thinned =
      dense.where(dense.abs() > 0.5, torch::zeros({}, at::kFloat));
  const at::Tensor tall = rounded(random_tensor({4000, 3}, at::kFloat, 12));
  for (const NodeFeatures& features :
       {NodeFeatures::dense(dense), sparse_from(thinned), sparse_from(tall),
        NodeFeatures::identity(300)}) {
    for (const int64_t width : {5, 64, 256, 300}) {
      for (const double p : {0.0, 0.4}) {
        SCOPED_TRACE("features " + std::to_string(features.num_features()) +
                     " width " + std::to_string(width) + " dropout " +
                     std::to_string(p));
        expect_bfloat16(
            [&](at::Device device, const Tensors& in) {
              const at::ScalarType type =
                  device.is_cuda() ? at::kBFloat16 : at::kFloat;
              return Tensors{feature_linear(features.to(device, type), in[0],
                                            in[1], p, kLayerKey)};
            },
            {},
            {uniform({width, features.num_features()}, 13),
             uniform({width}, 14)});
      }
    }
  }
}

TEST_F(CudaBFloat16, ScaledAggregates) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"hub", star(2001)});
  for (const NamedGraph& item : graphs) {
    for (const int64_t width : {1, 5, 64, 256, 301}) {
      SCOPED_TRACE(item.name + " width " + std::to_string(width));
      expect_bfloat16(
          [&](at::Device device, const Tensors& in) {
            const Graph graph = item.graph.to(device);
            return Tensors{mean_aggregate(graph, in[0]),
                           gcn_aggregate(graph, in[0]),
                           sum_aggregate(graph, in[0])};
          },
          {uniform({item.graph.num_nodes(), width}, 15)}, {});
    }
  }
}

TEST_F(CudaBFloat16, CrossEntropyHasALossInFloat) {
  const at::Tensor nodes = torch::arange(0, 500, 3, at::kLong);
  for (const int64_t classes : {1, 5, 40, 100}) {
    SCOPED_TRACE(classes);
    const at::Tensor labels = nodes.remainder(classes);
    const DeviceFunction loss = [&](at::Device device, const Tensors& in) {
      return Tensors{cross_entropy(in[0], nodes.to(device), labels.to(device))};
    };
    const at::Tensor logits =
        uniform({500, classes}, 21, -4, 4).to(at::kBFloat16);
    const Tensors got = results_on(at::kCUDA, loss, {logits});
    const Tensors expected =
        results_on(at::kCPU, loss, {logits.to(at::kDouble)});
    EXPECT_EQ(got[0].scalar_type(), at::kFloat);
    EXPECT_TRUE(within(got[0], expected[0], 1e-5, 1e-6));
    EXPECT_EQ(got[1].scalar_type(), at::kBFloat16);
    EXPECT_TRUE(within(got[1], expected[1], kTolerance, 1e-6));
  }
}

void expect_layer(const Graph& graph, const LayerCase& layer, int64_t gates,
                  int64_t width) {
  const Tensors in = layer_inputs(graph.num_nodes(), gates, width);
  // The spread of a few columns can be small: its inverse, by which a norm
  // multiplies, magnifies the rounding of m and of the gate.
  expect_bfloat16(layer_on(graph, layer), {in[0], in[1]},
                  {in[2], in[3], in[4], in[5]},
                  width < 16 ? 3 * kTolerance : kTolerance);
}

TEST_F(CudaBFloat16, OrderedLayerOfEveryWidth) {
  const Graph graph = random_graph(300, 1500, 5);
  const std::pair<int64_t, int64_t> shapes[] = {
      {5, 1},    {5, 5},     {33, 11},  {37, 37},  {64, 16},   {256, 64},
      {256, 32}, {257, 257}, {260, 65}, {300, 75}, {512, 128}, {1028, 257}};
  for (const auto& [width, gates] : shapes) {
    for (const Gating gating : {Gating::ordered, Gating::softor}) {
      SCOPED_TRACE(to_string(gating) + " width " + std::to_string(width) +
                   " gates " + std::to_string(gates));
      expect_layer(graph, {gating, /*dropout=*/0.25}, gates, width);
    }
  }
}

TEST_F(CudaBFloat16, OrderedLayerMayReuseMemory) {
  const Graph graph = random_graph(70000, 200000, 9);
  LayerCase layer;
  layer.dropout = 0.2;
  layer.reuse = true;
  for (const bool first : {false, true}) {
    layer.first = first;
    expect_layer(graph, layer, 64, 256);
  }
}

TEST_F(CudaBFloat16, OrderedLayerOf256ColumnsInEverySetting) {
  for (const int64_t rows : {1, 7, 2000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const double p : {0.0, 0.4}) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE("rows " + std::to_string(rows) + " dropout " +
                     std::to_string(p) + " first " + std::to_string(first));
        expect_layer(graph, {Gating::softor, p, first, /*uses_gate=*/!first},
                     64, 256);
      }
    }
  }
}

}  // namespace
}  // namespace ordered_gnn
