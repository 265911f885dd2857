// Every op on the GPU against the same op on the CPU.
#include "cuda/cuda_support.h"
#include "cuda/stack_support.h"
#include "ops/transposed_product.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/ordered_gate.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"
#include "support/features.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaParity : public CudaTest {};

const DropoutKey kKey = {/*seed=*/5, /*step=*/11, /*site=*/2};
// Below, at and above the 32 lanes, the packs of four and the spans of 256.
constexpr int64_t kCudaWidths[] = {5, 6, 32, 37, 64, 256, 260, 301, 512, 1028};

// Small shapes, hubs above the limit of a warp, and a graph without nodes.
std::vector<NamedGraph> graphs() {
  std::vector<NamedGraph> all = small_graphs();
  all.push_back({"no nodes", no_edges(0)});
  all.push_back({"hub", star(2001)});
  all.push_back({"large with a hub", large_graph()});
  return all;
}

TEST_F(CudaParity, DropoutMasksAreTheSameBits) {
  for (const int64_t size : {0, 1, 7, 8, 9, 255, 4096, 100003}) {
    for (const double p : {0.00001, 0.1, 0.5, 0.999999}) {
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        const at::Tensor x = random_tensor({size + 1}, dtype, 3, 1, 2);
        const at::Tensor shifted = x.narrow(0, 1, size);  // not aligned
        EXPECT_TRUE(torch::equal(dropout(x, p, kKey),
                                 dropout(x.cuda(), p, kKey).cpu()));
        EXPECT_TRUE(
            torch::equal(dropout(shifted, p, kKey),
                         dropout(x.cuda().narrow(0, 1, size), p, kKey).cpu()));
      }
    }
  }
}

TEST_F(CudaParity, Linear) {
  for (const int64_t rows : {0, 1, 257}) {
    expect_parity(
        [](at::Device, const Tensors& in) {
          return Tensors{linear(in[0], in[1], in[2])};
        },
        {uniform({rows, 37}, 1), uniform({5, 37}, 2), uniform({5}, 3)});
    expect_parity(
        [](at::Device, const Tensors& in) {
          return Tensors{pair_linear(in[0], in[1], in[2], in[3])};
        },
        {uniform({rows, 12}, 4), uniform({rows, 20}, 5), uniform({8, 32}, 6),
         uniform({8}, 7)});
  }
}

TEST_F(CudaParity, TransposedProduct) {
  for (const int64_t rows : {0, 1, 257}) {
    expect_parity(
        [](at::Device, const Tensors& in) {
          return Tensors{ops::transposed_product(in[0], in[1])};
        },
        {uniform({rows, 37}, 1), uniform({rows, 12}, 2)});
  }
}

TEST_F(CudaParity, LayerNorm) {
  for (const int64_t width : kCudaWidths) {
    for (const int64_t rows : {0, 1, 300, 5000}) {
      if (rows == 5000 && width > 64) continue;  // time of the CPU
      for (const bool relu : {false, true}) {
        SCOPED_TRACE(width);
        expect_parity(
            [relu](at::Device, const Tensors& in) {
              return Tensors{
                  layer_norm(in[0], in[1], in[2], {1e-5, relu, 0.3, kKey})};
            },
            {uniform({rows, width}, 8), uniform({width}, 9, 0.5, 1.5),
             uniform({width}, 10)});
      }
    }
  }
}

TEST_F(CudaParity, InputStack) {
  for (const int64_t width : {5, 33, 64, 256, 257, 300}) {
    for (const bool product : {true, false}) {
      for (const double p : {0.0, 0.3}) {
        SCOPED_TRACE("width " + std::to_string(width) + " product " +
                     std::to_string(product) + " dropout " + std::to_string(p));
        StackCase stack;
        stack.width = width;
        stack.product = product;
        stack.dropout = p;
        for (const bool recompute : {false, true}) {
          stack.recompute = recompute;
          expect_parity(stack_on(stack), stack_inputs(stack));
        }
      }
    }
  }
}

TEST_F(CudaParity, InputStackOfAnyNumberOfRowsAndLayers) {
  // Of these rows no product lies so near zero that rounding turns its relu.
  for (const int64_t rows : {0, 1, 3000}) {
    for (const size_t layers : {1, 2, 4}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " layers " +
                   std::to_string(layers));
      StackCase stack;
      stack.rows = rows;
      stack.layers = layers;
      expect_parity(stack_on(stack), stack_inputs(stack));
    }
  }
}

TEST_F(CudaParity, FeatureLinear) {
  const at::Tensor dense = random_tensor({300, 50}, at::kFloat, 11);
  const at::Tensor thinned =
      dense.where(dense.abs() > 0.5, torch::zeros({}, at::kFloat));
  // One feature that all nodes carry, in a list of few and long rows.
  const at::Tensor tall = random_tensor({4000, 3}, at::kFloat, 12);
  for (const NodeFeatures& features :
       {NodeFeatures::dense(dense), sparse_from(thinned), sparse_from(tall),
        NodeFeatures::identity(300), NodeFeatures::identity(0)}) {
    for (const int64_t width : {5, 64, 256, 300}) {
      for (const double p : {0.0, 0.4}) {
        expect_parity(
            [&](at::Device device, const Tensors& in) {
              return Tensors{
                  feature_linear(features.to(device), in[0], in[1], p, kKey)};
            },
            {uniform({width, features.num_features()}, 13),
             uniform({width}, 14)});
      }
    }
  }
}

TEST_F(CudaParity, FeatureLinearInItsValues) {
  const at::Tensor dense = random_tensor({300, 40}, at::kFloat, 21);
  const SparseRows rows =
      sparse_from(dense.where(dense.abs() < 0.3, torch::zeros({}))).rows();
  expect_parity(
      [&](at::Device device, const Tensors& in) {
        const NodeFeatures features = NodeFeatures::sparse(
            {rows.rowptr, rows.col, in[0].cpu().to(at::kFloat)}, 40);
        return Tensors{
            feature_linear(features.to(device), in[1], in[2], 0, kKey)};
      },
      {rows.value.to(at::kDouble), uniform({37, 40}, 22), uniform({37}, 23)});
}

TEST_F(CudaParity, Propagation) {
  const Graph graph = random_graph(500, 3000, 12);
  for (const int64_t width : {3, 64}) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE("width " + std::to_string(width) + " transposed " +
                   std::to_string(transposed));
      expect_parity(
          [&](at::Device device, const Tensors& in) {
            const at::Tensor start = transposed ? in[0].t() : in[0];
            return Tensors{propagate(graph.to(device), start, {0.2, 4, {}})};
          },
          {transposed ? uniform({width, 500}, 51) : uniform({500, width}, 51)});
    }
  }
}

TEST_F(CudaParity, ScaledAggregates) {
  for (const NamedGraph& item : graphs()) {
    for (const int64_t width : {1, 5, 64, 256, 301}) {
      SCOPED_TRACE(item.name);
      expect_parity(
          [&](at::Device device, const Tensors& in) {
            const Graph graph = item.graph.to(device);
            return Tensors{mean_aggregate(graph, in[0]),
                           gcn_aggregate(graph, in[0]),
                           sum_aggregate(graph, in[0])};
          },
          {uniform({item.graph.num_nodes(), width}, 15)});
    }
  }
}

TEST_F(CudaParity, WeightedAndMaximumAggregates) {
  for (const NamedGraph& item : graphs()) {
    SCOPED_TRACE(item.name);
    expect_parity(
        [&](at::Device device, const Tensors& in) {
          const Graph graph = item.graph.to(device);
          return Tensors{
              weighted_aggregate(graph, edge_softmax(graph, in[0]), in[1]),
              max_aggregate(graph, in[1])};
        },
        {uniform({item.graph.num_edges()}, 16),
         uniform({item.graph.num_nodes(), 37}, 17)});
  }
}

TEST_F(CudaParity, AttentionOfSeveralHeads) {
  for (const NamedGraph& item : graphs()) {
    for (const int64_t width : {1, 3, 8, 40}) {
      SCOPED_TRACE(item.name + " width " + std::to_string(width));
      constexpr int64_t kHeads = 5;
      expect_parity(
          [&](at::Device device, const Tensors& in) {
            const Graph graph = item.graph.to(device);
            const at::Tensor scores = edge_dot(graph, in[0], in[1], kHeads) +
                                      edge_scores(graph, in[2], in[3]);
            return Tensors{
                weighted_aggregate(graph, edge_softmax(graph, scores), in[1])};
          },
          {uniform({item.graph.num_nodes(), kHeads * width}, 22),
           uniform({item.graph.num_nodes(), kHeads * width}, 23),
           uniform({item.graph.num_nodes(), kHeads}, 24),
           uniform({item.graph.num_nodes(), kHeads}, 25)});
    }
  }
}

TEST_F(CudaParity, OrderedGate) {
  for (const Gating gating :
       {Gating::simple, Gating::ordered, Gating::softor}) {
    for (const int64_t width : kCudaWidths) {
      for (const int64_t chunk : {1, 2, 4, 64}) {
        if (width % chunk != 0 || width / chunk > 1024) continue;
        SCOPED_TRACE(to_string(gating) + " width " + std::to_string(width) +
                     " chunk " + std::to_string(chunk));
        const int64_t gates = width / chunk;
        expect_parity(
            [gating](at::Device, const Tensors& in) {
              const OrderedGateResult result =
                  ordered_gate(gating, in[0], in[1], in[2], in[3]);
              return Tensors{result.h, result.gate};
            },
            {uniform({99, gates}, 18), uniform({99, gates}, 19, 0, 1),
             uniform({99, width}, 20), uniform({99, width}, 21)});
      }
    }
  }
}

TEST_F(CudaParity, TooManyGatesAreAnError) {
  const at::Tensor wide = torch::zeros({1, 1025}).cuda();
  EXPECT_THROW(ordered_gate(Gating::softor, wide, wide, wide, wide),
               c10::Error);
}

}  // namespace
}  // namespace ordered_gnn
