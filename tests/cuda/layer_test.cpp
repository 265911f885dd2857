// The fused layer and the sums over neighbours on the GPU against the CPU, at
// the sizes that have kernels of their own.
#include "cuda/cuda_support.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/device_layer.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaLayer : public CudaTest {};

constexpr Gating kGatings[] = {Gating::ordered, Gating::softor};

// Below, at and above the 32 lanes, the packs of four and the spans of 256.
constexpr int64_t kWidths[] = {5, 6, 32, 33, 64, 256, 257, 260, 300, 512, 1028};

// Random edges and one node with thousands of neighbours both ways.
Graph graph_with_hub(int64_t nodes, int64_t edges, int64_t neighbours) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  RandomStream random(21);
  for (int64_t e = 0; e < edges; ++e) {
    const auto first = static_cast<int64_t>(random.below(nodes));
    const auto second = static_cast<int64_t>(random.below(nodes));
    pairs.emplace_back(first, second);
  }
  for (int64_t v = 1; v <= neighbours; ++v) {
    pairs.emplace_back(0, v);
    pairs.emplace_back(v, 0);
  }
  return Graph::from_edges(nodes, pairs);
}

TEST_F(CudaLayer, OnEveryGraph) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"no nodes", no_edges(0)});
  graphs.push_back({"hub", star(2001)});
  graphs.push_back({"large with a hub", large_graph()});
  for (const NamedGraph& item : graphs) {
    SCOPED_TRACE(item.name);
    for (const Gating gating : kGatings) {
      SCOPED_TRACE(to_string(gating));
      for (const int64_t width : {16, 256}) {
        SCOPED_TRACE(width);
        expect_parity(layer_on(item.graph, {gating, /*dropout=*/0.4}),
                      layer_inputs(item.graph.num_nodes(), width / 4, width));
      }
    }
  }
}

TEST_F(CudaLayer, OfEveryWidth) {
  const Graph graph = random_graph(300, 1500, 5);
  for (const int64_t width : kWidths) {
    for (const int64_t chunk : {int64_t{1}, int64_t{4}, width}) {
      if (width % chunk != 0 || width / chunk > 1024) continue;
      SCOPED_TRACE("width " + std::to_string(width) + " chunk " +
                   std::to_string(chunk));
      expect_parity(layer_on(graph, {Gating::softor, /*dropout=*/0.25}),
                    layer_inputs(300, width / chunk, width));
    }
  }
}

TEST_F(CudaLayer, Of256ColumnsAnd64GatesInEverySetting) {
  for (const int64_t rows : {1, 7, 300, 5000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const Gating gating : kGatings) {
      for (const double p : {0.0, 0.4}) {
        for (const bool first : {false, true}) {
          for (const bool uses_gate : {false, true}) {
            SCOPED_TRACE(to_string(gating) + " rows " + std::to_string(rows) +
                         " dropout " + std::to_string(p) + " first " +
                         std::to_string(first) + " uses gate " +
                         std::to_string(uses_gate));
            expect_parity(layer_on(graph, {gating, p, first, uses_gate}),
                          layer_inputs(rows, 64, 256));
          }
        }
      }
    }
  }
}

// The kernels with 16-byte loads must not be taken for rows that begin
// elsewhere.
TEST_F(CudaLayer, OfRowsThatAreNotAligned) {
  const Graph graph = random_graph(300, 1500, 7);
  Tensors inputs = layer_inputs(300, 64, 256);
  const DeviceFunction aligned = layer_on(graph, {Gating::softor, 0.4});
  const auto shifted = [&](at::Device device, const Tensors& in) {
    const at::Tensor longer =
        torch::cat({in[0].reshape(-1).narrow(0, 0, 1), in[0].reshape(-1)});
    Tensors moved = in;
    moved[0] = longer.narrow(0, 1, in[0].numel()).view(in[0].sizes());
    return aligned(device, moved);
  };
  expect_parity(shifted, inputs);
}

TEST_F(CudaLayer, OfAStateThatExceedsTheCache) {
  constexpr int64_t kNodes = 30000;
  const Graph graph = graph_with_hub(kNodes, 100000, 20000);
  expect_parity(
      [&](at::Device device, const Tensors& in) {
        const Graph moved = graph.to(device);
        return Tensors{mean_aggregate(moved, in[0]),
                       gcn_aggregate(moved, in[0]),
                       sum_aggregate(moved, in[0])};
      },
      {uniform({kNodes, 256}, 41)});
  expect_parity(layer_on(graph, {Gating::softor, /*dropout=*/0.1}),
                layer_inputs(kNodes, 64, 256));
}

// The kernel for 64 gates of 256 columns, the general one, and rows too wide to
// write into what is read; few rows, whose gradients lie side by side, and
// many.
TEST_F(CudaLayer, MayReuseMemory) {
  LayerCase layer;
  layer.dropout = 0.2;
  layer.reuse = true;
  for (const int64_t nodes : {300, 70000}) {
    const Graph graph = graph_with_hub(nodes, 2 * nodes, nodes / 20);
    for (const int64_t width : {256, 128, 260}) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE("nodes " + std::to_string(nodes) + " width " +
                     std::to_string(width) + " first " + std::to_string(first));
        layer.first = first;
        expect_parity(layer_on(graph, layer),
                      layer_inputs(nodes, width / 4, width));
      }
    }
  }
}

TEST_F(CudaLayer, ThatReusedMemoryRunsBackwardOnce) {
  const Graph graph = random_graph(50, 200, 8).to(at::kCUDA);
  Tensors in;
  for (const at::Tensor& input : layer_inputs(50, 4, 16)) {
    in.push_back(input.to(at::kCUDA).requires_grad_());
  }
  LayerCase layer;
  layer.uses_gate = false;
  layer.reuse = true;
  const at::Tensor loss = layer_on(graph, layer)(at::kCUDA, in)[0].sum();
  loss.backward(/*gradient=*/{}, /*retain_graph=*/true);
  EXPECT_THROW(loss.backward(), c10::Error);
}

}  // namespace
}  // namespace ordered_gnn
