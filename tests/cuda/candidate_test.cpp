// The fused layer with a candidate on the GPU against the CPU.
#include "cuda/cuda_support.h"
#include "support/bf16_checks.h"
#include "support/device_candidate.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaCandidate : public CudaTest {};

constexpr Gating kGatings[] = {Gating::ordered, Gating::softor};

std::vector<CandidateCase> every_case(double dropout) {
  std::vector<CandidateCase> cases;
  for (const Gating gating : kGatings) {
    for (const NormMode candidate : kEveryNorm) {
      for (const NormMode norm : kEveryNorm) {
        CandidateCase layer;
        layer.gating = gating;
        layer.dropout = dropout;
        layer.candidate_norm = candidate;
        layer.norm = norm;
        cases.push_back(layer);
      }
    }
  }
  return cases;
}

double distance(const at::Tensor& got, const at::Tensor& expected) {
  const at::Tensor exact = expected.to(at::kDouble);
  return (got.to(at::kDouble) - exact).norm().item<double>() /
         (exact.norm().item<double>() + 1e-3);
}

// A candidate near zero may open on one device and not on the other: in float
// elements differ then, the whole hardly. In double all elements agree.
void expect_candidate_parity(const DeviceFunction& f, const Tensors& inputs) {
  Tensors exact, rounded;
  for (const at::Tensor& input : inputs) {
    rounded.push_back(input.to(at::kFloat));
    exact.push_back(rounded.back().to(at::kDouble));
  }
  const Tensors expected = results_on(at::kCPU, f, exact);
  const Tensors got = results_on(at::kCUDA, f, exact);
  const Tensors in_float = results_on(at::kCUDA, f, rounded);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(within(got[i], expected[i], 1e-10, 1e-10)) << "result " << i;
    EXPECT_LT(distance(in_float[i], expected[i]), 2e-4) << "result " << i;
  }
  expect_same_bits(in_float, results_on(at::kCUDA, f, rounded));
}

TEST_F(CudaCandidate, WithEveryGatingAndNorm) {
  const Graph graph = random_graph(300, 1500, 5);
  for (const CandidateCase& layer : every_case(/*dropout=*/0.3)) {
    SCOPED_TRACE(layer.name());
    expect_candidate_parity(candidate_on(graph, layer),
                            candidate_inputs(300, 64, 256));
  }
}

TEST_F(CudaCandidate, OfEveryWidthAndNumberOfGates) {
  const Graph graph = random_graph(300, 1500, 5);
  for (const int64_t width : {5, 6, 32, 33, 64, 128, 256}) {
    for (const int64_t chunk : {int64_t{1}, int64_t{4}, width}) {
      if (width % chunk != 0) continue;
      for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
        CandidateCase layer;
        layer.dropout = 0.25;
        layer.candidate_norm = layer.norm = mode;
        SCOPED_TRACE(layer.name() + " width " + std::to_string(width) +
                     " chunk " + std::to_string(chunk));
        expect_candidate_parity(candidate_on(graph, layer),
                                candidate_inputs(300, width / chunk, width));
      }
    }
  }
}

TEST_F(CudaCandidate, OnEveryGraph) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"no nodes", no_edges(0)});
  graphs.push_back({"hub", star(2001)});
  graphs.push_back({"large with a hub", large_graph()});
  for (const NamedGraph& item : graphs) {
    const int64_t rows = item.graph.num_nodes();
    SCOPED_TRACE(item.name);
    for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
      if (mode == NormMode::batch && rows < 3) continue;
      CandidateCase layer;
      layer.candidate_norm = mode;
      layer.dropout = 0.4;
      expect_candidate_parity(candidate_on(item.graph, layer),
                              candidate_inputs(rows, 4, 16));
    }
  }
}

TEST_F(CudaCandidate, MayReuseMemory) {
  for (const int64_t rows : {300, 40000}) {
    const Graph graph = random_graph(rows, 4 * rows, 6);
    for (const bool first : {false, true}) {
      for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
        CandidateCase layer;
        layer.dropout = 0.2;
        layer.first = first;
        layer.candidate_norm = mode;
        layer.norm = mode;
        const Tensors in = candidate_inputs(rows, 64, 256);
        const auto run = [&](bool reuse) {
          layer.reuse = reuse;
          Tensors typed;
          for (const at::Tensor& input : in) {
            typed.push_back(input.to(at::kFloat));
          }
          return results_on(at::kCUDA, candidate_on(graph, layer), typed);
        };
        SCOPED_TRACE(layer.name() + " rows " + std::to_string(rows));
        expect_same_bits(run(false), run(true));
      }
    }
  }
}

TEST_F(CudaCandidate, MovesRunningStatistics) {
  const Graph graph = random_graph(700, 3000, 4);
  const Tensors in = candidate_inputs(700, 16, 64);
  const auto run = [&](at::Device device) {
    Tensors there;
    for (const at::Tensor& input : in) {
      there.push_back(input.to(at::kDouble).to(device));
    }
    const Graph moved = graph.to(device);
    Tensors running;
    for (const int64_t one : {0, 1, 0, 1}) {
      running.push_back(at::full({64}, one, there[0].options()));
    }
    candidate_layer(
        moved, {there[0], there[1], moved.inverse_in_degree(), {}},
        {there[2],
         there[3],
         there[4],
         there[5],
         {NormMode::batch, there[6], there[7], running[0], running[1]},
         {NormMode::batch, there[8], there[9], running[2], running[3]}},
        {});
    for (at::Tensor& tensor : running) tensor = tensor.cpu();
    return running;
  };
  const Tensors expected = run(at::kCPU), got = run(at::kCUDA);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(within(got[i], expected[i], 1e-11, 1e-11)) << i;
  }
}

TEST_F(CudaCandidate, RefusesRowsThatAreTooWide) {
  const Graph graph = random_graph(20, 60, 4);
  EXPECT_THROW(results_on(at::kCUDA, candidate_on(graph, {}),
                          candidate_inputs(20, 65, 260)),
               c10::Error);
}

TEST_F(CudaCandidate, RefusesNodesThatAStepTells) {
  const Graph graph = random_graph(20, 60, 4).to(at::kCUDA);
  Tensors in;
  for (const at::Tensor& input : candidate_inputs(20, 4, 16)) {
    in.push_back(input.to(at::kCUDA));
  }
  CandidateLayerSettings settings;
  settings.dropout = 0.5;
  // The step, and the node of every row.
  settings.dropout_key = {
      /*seed=*/5, at::arange(21, in[0].options().dtype(at::kLong)), /*site=*/2};
  EXPECT_THROW(
      candidate_layer(graph, {in[0], in[1], graph.inverse_in_degree(), {}},
                      {in[2],
                       in[3],
                       in[4],
                       in[5],
                       {NormMode::layer, in[6], in[7], {}, {}},
                       {NormMode::layer, in[8], in[9], {}, {}}},
                      settings),
      c10::Error);
}

TEST_F(CudaCandidate, InBFloat16) {
  const Graph graph = random_graph(300, 1500, 5);
  for (const CandidateCase& layer : every_case(/*dropout=*/0.25)) {
    SCOPED_TRACE(layer.name());
    for (const int64_t width : {64, 256}) {
      expect_candidate_in_bf16(at::kCUDA, graph, layer, width / 4, width);
    }
  }
}

}  // namespace
}  // namespace ordered_gnn
