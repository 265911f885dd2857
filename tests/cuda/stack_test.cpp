// Runs of layers and layers for some rows on the GPU: against the CPU, and in
// bfloat16 against the GPU's own single layers.
#include "cuda/cuda_support.h"
#include "support/graphs.h"
#include "support/ordered_layers.h"

namespace ordered_gnn {
namespace {

class CudaStack : public CudaTest {
 protected:
  static DeviceFunction stack(const Graph& graph, const LayersCase& run,
                              bool recompute) {
    return [=](at::Device device, const Tensors& in) {
      return stack_of_layers(graph.to(device), run, recompute, in);
    };
  }

  // Every third node but the first.
  static DeviceFunction rows(const Graph& graph, const LayersCase& run) {
    return [=](at::Device device, const Tensors& in) {
      const Graph moved = graph.to(device);
      const at::Tensor nodes =
          torch::arange(1, graph.num_nodes(), 3, at::kLong).flip(0).to(device);
      return rows_of_layer(moved, receiver_lists(moved, nodes), run, in);
    };
  }

  static Tensors in_bfloat16(const Tensors& inputs) {
    Tensors typed;
    for (const at::Tensor& input : inputs) {
      // Parameters stay in float.
      typed.push_back(typed.empty() ? input.to(at::kBFloat16)
                                    : input.to(at::kFloat));
    }
    return typed;
  }
};

TEST_F(CudaStack, IsThatOfTheCpu) {
  const Graph graph = random_graph(700, 4000, 5);
  for (const Gating gating : {Gating::ordered, Gating::softor}) {
    for (const int64_t width : {64, 256, 260}) {
      for (const size_t layers : {1, 2, 6}) {
        for (const bool recompute : {false, true}) {
          SCOPED_TRACE(to_string(gating) + " width " + std::to_string(width) +
                       " layers " + std::to_string(layers) + " recompute " +
                       std::to_string(recompute));
          const LayersCase run{gating, layers, /*dropout=*/0.2};
          expect_parity(stack(graph, run, recompute),
                        layers_inputs(run, 700, width / 4, width, at::kDouble));
        }
      }
    }
  }
}

// Then backward has nothing to write into but the gate itself.
TEST_F(CudaStack, OfAGateThatNobodyReadsIsThatOfTheCpu) {
  const Graph graph = random_graph(700, 4000, 9);
  const LayersCase run{Gating::softor, 5, /*dropout=*/0.2};
  for (const bool recompute : {false, true}) {
    const DeviceFunction both = stack(graph, run, recompute);
    expect_parity(
        [&](at::Device device, const Tensors& in) {
          return Tensors{both(device, in)[0]};
        },
        layers_inputs(run, 700, 64, 256, at::kDouble));
  }
}

TEST_F(CudaStack, GivesTheSameBitsWhetherItComputesAgainOrKeeps) {
  const Graph graph = random_graph(3000, 20000, 6);
  const LayersCase run{Gating::softor, 8, /*dropout=*/0.2};
  const Tensors inputs =
      in_bfloat16(layers_inputs(run, 3000, 64, 256, at::kDouble));
  const Tensors kept =
      results_on(at::kCUDA, stack(graph, run, /*recompute=*/false), inputs);
  expect_same_bits(
      results_on(at::kCUDA, stack(graph, run, /*recompute=*/true), inputs),
      kept);
  const Tensors single = results_on(
      at::kCUDA,
      [&](at::Device device, const Tensors& in) {
        return single_layers(graph.to(device), run, in);
      },
      inputs);
  expect_same_bits(kept, single);
}

TEST_F(CudaStack, OfSomeRowsIsThatOfTheCpu) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"hub", star(2001)});
  graphs.push_back({"random", random_graph(700, 4000, 7)});
  for (const NamedGraph& item : graphs) {
    SCOPED_TRACE(item.name);
    for (const int64_t width : {20, 256}) {
      for (const size_t layers : {1, 2}) {
        SCOPED_TRACE("width " + std::to_string(width) + " layers " +
                     std::to_string(layers));
        const LayersCase run{Gating::softor, layers, /*dropout=*/0.3};
        expect_parity(rows(item.graph, run),
                      layers_inputs(run, item.graph.num_nodes(), width / 4,
                                    width, at::kDouble));
      }
    }
  }
}

TEST_F(CudaStack, OfSomeRowsInBFloat16IsThatOfTheWholeLayer) {
  const Graph graph = random_graph(3000, 20000, 8);
  const LayersCase run{Gating::softor, 2, /*dropout=*/0.2};
  const Tensors inputs =
      in_bfloat16(layers_inputs(run, 3000, 64, 256, at::kDouble));
  const Tensors got = results_on(at::kCUDA, rows(graph, run), inputs,
                                 /*directions=*/at::kBFloat16);
  const Tensors whole = results_on(
      at::kCUDA,
      [&](at::Device device, const Tensors& in) {
        const at::Tensor nodes =
            torch::arange(1, 3000, 3, at::kLong).flip(0).to(device);
        return Tensors{
            single_layers(graph.to(device), run, in)[0].index_select(0, nodes)};
      },
      inputs, /*directions=*/at::kBFloat16);
  ASSERT_EQ(got.size(), whole.size());
  EXPECT_TRUE(torch::equal(got[0], whole[0]));
  for (size_t i = 1; i < got.size(); ++i) {
    EXPECT_TRUE(within(got[i], whole[i].to(at::kDouble), 0.02, 1e-3))
        << "result " << i;
  }
}

}  // namespace
}  // namespace ordered_gnn
