// Ops whose rows are stored in bfloat16, with parameters in float, against the
// same ops in double on the same rounded inputs.
#include <gtest/gtest.h>

#include "cuda/layer_support.h"
#include "ops/op_checks.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/features.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

// Eight bits are stored; a few roundings may add up.
constexpr double kBf16Tolerance = 2e-2;

using RowsFunction = std::function<Tensors(const Tensors&)>;

// f takes the rows first, then the parameters, and returns rows alone.
void expect_in_bf16(const RowsFunction& f, const Tensors& rows,
                    const Tensors& parameters,
                    double tolerance = kBf16Tolerance) {
  Tensors exact, stored;
  for (const at::Tensor& x : rows) {
    stored.push_back(x.to(at::kBFloat16));
    exact.push_back(stored.back().to(at::kDouble));
  }
  for (const at::Tensor& parameter : parameters) {
    stored.push_back(parameter.to(at::kFloat));
    exact.push_back(stored.back().to(at::kDouble));
  }
  const DeviceFunction on_cpu = [&](at::Device, const Tensors& in) {
    return f(in);
  };
  const auto in_bf16 = [&](int threads) {
    set_num_threads(threads);
    Tensors results = results_on(at::kCPU, on_cpu, stored, at::kBFloat16);
    set_num_threads(0);
    return results;
  };
  const Tensors expected = results_on(at::kCPU, on_cpu, exact, at::kBFloat16);
  const Tensors got = in_bf16(1);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (i + stored.size() < got.size()) {
      EXPECT_EQ(got[i].scalar_type(), at::kBFloat16) << "result " << i;
    }
    EXPECT_TRUE(within(got[i], expected[i], tolerance, 1e-2 * tolerance))
        << "result " << i;
  }
  expect_same_bits(got, in_bf16(3));
}

TEST(Bf16Ops, DropoutKeepsTheSameElements) {
  for (const int64_t size : {0, 1, 7, 64, 255, 100003}) {
    SCOPED_TRACE(size);
    const at::Tensor x =
        ordered_gnn::uniform({size}, 3, 1, 2).to(at::kBFloat16).to(at::kFloat);
    const at::Tensor expected = dropout(x, 0.4, kLayerKey);
    const at::Tensor got = dropout(x.to(at::kBFloat16), 0.4, kLayerKey);
    EXPECT_EQ(got.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(torch::equal(got, expected.to(at::kBFloat16)));
  }
}

TEST(Bf16Ops, Linear) {
  for (const int64_t rows : {0, 1, 257}) {
    for (const int64_t out : {5, 64}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " out " +
                   std::to_string(out));
      expect_in_bf16(
          [](const Tensors& in) {
            return Tensors{linear(in[0], in[1], in[2])};
          },
          {ordered_gnn::uniform({rows, 37}, 1)},
          {ordered_gnn::uniform({out, 37}, 2), ordered_gnn::uniform({out}, 3)});
    }
  }
}

TEST(Bf16Ops, LayerNorm) {
  for (const int64_t width : {5, 33, 256, 300}) {
    for (const int64_t rows : {0, 1, 300}) {
      for (const bool relu : {false, true}) {
        SCOPED_TRACE("width " + std::to_string(width) + " rows " +
                     std::to_string(rows) + " relu " + std::to_string(relu));
        expect_in_bf16(
            [relu](const Tensors& in) {
              return Tensors{layer_norm(in[0], in[1], in[2],
                                        {1e-5, relu, 0.3, kLayerKey})};
            },
            {ordered_gnn::uniform({rows, width}, 8)},
            {ordered_gnn::uniform({width}, 9, 0.5, 1.5),
             ordered_gnn::uniform({width}, 10)});
      }
    }
  }
}

TEST(Bf16Ops, FeatureLinear) {
  const at::Tensor dense =
      random_tensor({300, 50}, at::kFloat, 11).to(at::kBFloat16).to(at::kFloat);
  const at::Tensor thinned =
      dense.where(dense.abs() > 0.5, torch::zeros({}, at::kFloat));
  const at::Tensor tall =
      random_tensor({4000, 3}, at::kFloat, 12).to(at::kBFloat16).to(at::kFloat);
  for (const NodeFeatures& features :
       {NodeFeatures::dense(dense), sparse_from(thinned), sparse_from(tall),
        NodeFeatures::identity(300)}) {
    for (const int64_t width : {5, 64}) {
      for (const double p : {0.0, 0.4}) {
        SCOPED_TRACE("features " + std::to_string(features.num_features()) +
                     " width " + std::to_string(width) + " dropout " +
                     std::to_string(p));
        expect_in_bf16(
            [&](const Tensors& in) {
              const bool stored = in[0].scalar_type() == at::kFloat;
              return Tensors{feature_linear(
                  stored ? features.to(at::kCPU, at::kBFloat16) : features,
                  in[0], in[1], p, kLayerKey)};
            },
            {},
            {ordered_gnn::uniform({width, features.num_features()}, 13),
             ordered_gnn::uniform({width}, 14)});
      }
    }
  }
}

TEST(Bf16Ops, ScaledAggregates) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"hub", star(2001)});
  for (const NamedGraph& item : graphs) {
    for (const int64_t width : {1, 5, 64, 301}) {
      SCOPED_TRACE(item.name + " width " + std::to_string(width));
      expect_in_bf16(
          [&](const Tensors& in) {
            return Tensors{mean_aggregate(item.graph, in[0]),
                           gcn_aggregate(item.graph, in[0]),
                           sum_aggregate(item.graph, in[0])};
          },
          {ordered_gnn::uniform({item.graph.num_nodes(), width}, 15)}, {});
    }
  }
}

TEST(Bf16Ops, CrossEntropyHasALossInFloat) {
  const at::Tensor nodes = torch::arange(0, 500, 3, at::kLong);
  for (const int64_t classes : {1, 5, 40}) {
    SCOPED_TRACE(classes);
    const at::Tensor labels = nodes.remainder(classes);
    const DeviceFunction loss = [&](at::Device, const Tensors& in) {
      return Tensors{cross_entropy(in[0], nodes, labels)};
    };
    const at::Tensor logits =
        ordered_gnn::uniform({500, classes}, 21, -4, 4).to(at::kBFloat16);
    const Tensors got = results_on(at::kCPU, loss, {logits});
    const Tensors expected =
        results_on(at::kCPU, loss, {logits.to(at::kDouble)});
    EXPECT_EQ(got[0].scalar_type(), at::kFloat);
    EXPECT_TRUE(within(got[0], expected[0], 1e-5, 1e-6));
    EXPECT_EQ(got[1].scalar_type(), at::kBFloat16);
    EXPECT_TRUE(within(got[1], expected[1], kBf16Tolerance, 1e-6));
  }
}

void expect_layer_in_bf16(const Graph& graph, const LayerCase& layer,
                          int64_t gates, int64_t width) {
  const Tensors in = ordered_gnn::layer_inputs(graph.num_nodes(), gates, width);
  const DeviceFunction f = layer_on(graph, layer);
  // The spread of a few columns can be small: its inverse, by which a norm
  // multiplies, magnifies the rounding of m and of the gate.
  expect_in_bf16([&](const Tensors& x) { return f(at::kCPU, x); },
                 {in[0], in[1]}, {in[2], in[3], in[4], in[5]},
                 width < 16 ? 3 * kBf16Tolerance : kBf16Tolerance);
}

TEST(Bf16Ops, OrderedLayerOfEveryWidth) {
  const std::pair<int64_t, int64_t> shapes[] = {
      {5, 1}, {5, 5}, {33, 11}, {37, 37}, {64, 16}, {256, 64}, {300, 75}};
  // Few neighbours, whose sums are gathered again, and many.
  for (const int64_t edges : {1500, 6000}) {
    const Graph graph = random_graph(300, edges, 5);
    for (const auto& [width, gates] : shapes) {
      for (const Gating gating : {Gating::ordered, Gating::softor}) {
        SCOPED_TRACE(to_string(gating) + " width " + std::to_string(width) +
                     " gates " + std::to_string(gates));
        expect_layer_in_bf16(graph, {gating, /*dropout=*/0.25}, gates, width);
      }
    }
  }
}

TEST(Bf16Ops, OrderedLayerInEverySetting) {
  for (const int64_t rows : {1, 7, 2000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const bool first : {false, true}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " first " +
                   std::to_string(first));
      expect_layer_in_bf16(
          graph, {Gating::softor, /*dropout=*/0, first, /*uses_gate=*/!first},
          64, 256);
    }
  }
}

TEST(Bf16Ops, OtherOpsSayThatTheyTakeNone) {
  const Graph graph = random_graph(9, 20, 3);
  const at::Tensor h = torch::ones({9, 4}, at::kBFloat16);
  const char* const expected = "must be float32 or float64, got BFloat16";
  expect_error([&] { max_aggregate(graph, h); }, expected);
  expect_error(
      [&] {
        pair_linear(h, h, torch::ones({2, 8}), torch::ones({2}));
      },
      expected);
}

}  // namespace
}  // namespace ordered_gnn
