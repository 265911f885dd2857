#include "support/bf16_checks.h"

#include <torch/types.h>

#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/ordered_gate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

at::Tensor rounded(const at::Tensor& x) {
  return x.to(at::kBFloat16).to(at::kFloat);
}

std::vector<NodeFeatures> every_kind_of_features() {
  const at::Tensor dense = rounded(random_tensor({300, 50}, at::kFloat, 11));
  const at::Tensor thinned =
      dense.where(dense.abs() > 0.5, torch::zeros({}, at::kFloat));
  const at::Tensor tall = rounded(random_tensor({4000, 3}, at::kFloat, 12));
  return {NodeFeatures::dense(dense), sparse_from(thinned), sparse_from(tall),
          NodeFeatures::identity(300)};
}

}  // namespace

void expect_in_bf16(at::Device device, const DeviceFunction& f,
                    const Tensors& rows, const Tensors& parameters,
                    double tolerance) {
  Tensors exact, stored;
  for (const at::Tensor& x : rows) {
    stored.push_back(x.to(at::kBFloat16));
    exact.push_back(stored.back().to(at::kDouble));
  }
  for (const at::Tensor& parameter : parameters) {
    stored.push_back(parameter.to(at::kFloat));
    exact.push_back(stored.back().to(at::kDouble));
  }
  const auto in_bf16 = [&](int threads) {
    set_num_threads(threads);
    Tensors results = results_on(device, f, stored, at::kBFloat16);
    set_num_threads(0);
    return results;
  };
  const Tensors expected = results_on(at::kCPU, f, exact, at::kBFloat16);
  const Tensors got = in_bf16(1);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (i + stored.size() < got.size()) {
      EXPECT_EQ(got[i].scalar_type(), at::kBFloat16) << "result " << i;
    }
    EXPECT_TRUE(within(got[i], expected[i], tolerance, 1e-2 * tolerance))
        << "result " << i;
  }
  for (const int threads : {3, 5}) expect_same_bits(got, in_bf16(threads));
}

void expect_linear_in_bf16(at::Device device) {
  for (const int64_t rows : {0, 1, 257}) {
    for (const int64_t out : {5, 64}) {
      SCOPED_TRACE(testing::Message() << "rows " << rows << " out " << out);
      expect_in_bf16(device,
                     [](at::Device, const Tensors& in) {
                       return Tensors{linear(in[0], in[1], in[2])};
                     },
                     {uniform({rows, 37}, 1)},
                     {uniform({out, 37}, 2), uniform({out}, 3)});
    }
  }
}

void expect_pairs_and_gates_in_bf16(at::Device device) {
  for (const int64_t rows : {0, 1, 257}) {
    SCOPED_TRACE(testing::Message() << "rows " << rows);
    expect_in_bf16(device,
                   [](at::Device, const Tensors& in) {
                     return Tensors{pair_linear(in[0], in[1], in[2], in[3])};
                   },
                   {uniform({rows, 37}, 1), uniform({rows, 12}, 2)},
                   {uniform({20, 49}, 3), uniform({20}, 4)});
    for (const Gating gating :
         {Gating::simple, Gating::ordered, Gating::softor}) {
      SCOPED_TRACE(to_string(gating));
      expect_in_bf16(device,
                     [gating](at::Device, const Tensors& in) {
                       const OrderedGateResult result =
                           ordered_gate(gating, in[0], in[1], in[2], in[3]);
                       return Tensors{result.h, result.gate};
                     },
                     {uniform({rows, 16}, 5), uniform({rows, 16}, 6, 0, 1),
                      uniform({rows, 64}, 7), uniform({rows, 64}, 8)},
                     {});
    }
  }
}

void expect_layer_norm_in_bf16(at::Device device,
                               const std::vector<int64_t>& widths) {
  for (const int64_t width : widths) {
    for (const int64_t rows : {0, 1, 300}) {
      for (const bool relu : {false, true}) {
        SCOPED_TRACE(testing::Message() << "width " << width << " rows " << rows
                                        << " relu " << relu);
        expect_in_bf16(
            device,
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

void expect_feature_linear_in_bf16(at::Device device,
                                   const std::vector<int64_t>& widths) {
  for (const NodeFeatures& features : every_kind_of_features()) {
    for (const int64_t width : widths) {
      for (const double p : {0.0, 0.4}) {
        SCOPED_TRACE(testing::Message()
                     << "features " << features.num_features() << " width "
                     << width << " dropout " << p);
        expect_in_bf16(
            device,
            [&](at::Device there, const Tensors& in) {
              const bool stored = in[0].scalar_type() == at::kFloat;
              return Tensors{feature_linear(
                  features.to(there, stored ? at::kBFloat16 : at::kFloat),
                  in[0], in[1], p, kLayerKey)};
            },
            {},
            {uniform({width, features.num_features()}, 13),
             uniform({width}, 14)});
      }
    }
  }
}

void expect_aggregates_in_bf16(at::Device device,
                               const std::vector<int64_t>& widths) {
  std::vector<NamedGraph> graphs = small_graphs();
  graphs.push_back({"hub", star(2001)});
  for (const NamedGraph& item : graphs) {
    for (const int64_t width : widths) {
      SCOPED_TRACE(item.name + " width " + std::to_string(width));
      expect_in_bf16(device,
                     [&](at::Device there, const Tensors& in) {
                       const Graph graph = item.graph.to(there);
                       return Tensors{mean_aggregate(graph, in[0]),
                                      gcn_aggregate(graph, in[0]),
                                      sum_aggregate(graph, in[0])};
                     },
                     {uniform({item.graph.num_nodes(), width}, 15)}, {});
    }
  }
}

void expect_cross_entropy_in_bf16(at::Device device,
                                  const std::vector<int64_t>& classes) {
  const at::Tensor nodes = torch::arange(0, 500, 3, at::kLong);
  for (const int64_t count : classes) {
    SCOPED_TRACE(count);
    const at::Tensor labels = nodes.remainder(count);
    const DeviceFunction loss = [&](at::Device there, const Tensors& in) {
      return Tensors{cross_entropy(in[0], nodes.to(there), labels.to(there))};
    };
    const at::Tensor logits =
        uniform({500, count}, 21, -4, 4).to(at::kBFloat16);
    const Tensors got = results_on(device, loss, {logits});
    const Tensors expected =
        results_on(at::kCPU, loss, {logits.to(at::kDouble)});
    EXPECT_EQ(got[0].scalar_type(), at::kFloat);
    EXPECT_TRUE(within(got[0], expected[0], 1e-5, 1e-6));
    EXPECT_EQ(got[1].scalar_type(), at::kBFloat16);
    EXPECT_TRUE(within(got[1], expected[1], kBf16Tolerance, 1e-6));
  }
}

void expect_layer_in_bf16(at::Device device, const Graph& graph,
                          const LayerCase& layer, int64_t gates,
                          int64_t width) {
  const Tensors in = layer_inputs(graph.num_nodes(), gates, width);
  // The spread of a few columns can be small: its inverse, by which a norm
  // multiplies, magnifies the rounding of m and of the gate.
  expect_in_bf16(device, layer_on(graph, layer), {in[0], in[1]},
                 {in[2], in[3], in[4], in[5]},
                 width < 16 ? 3 * kBf16Tolerance : kBf16Tolerance);
}

void expect_layers_in_bf16(
    at::Device device, const Graph& graph,
    const std::vector<std::pair<int64_t, int64_t>>& shapes) {
  for (const auto& [width, gates] : shapes) {
    for (const Gating gating : {Gating::ordered, Gating::softor}) {
      SCOPED_TRACE(testing::Message() << to_string(gating) << " width " << width
                                      << " gates " << gates);
      expect_layer_in_bf16(device, graph, {gating, /*dropout=*/0.25}, gates,
                           width);
    }
  }
}

namespace {

// Results of a layer with a candidate near those in double, with the same bits
// for other threads. Unless candidates are `decided`, gradients of their own
// parameters may hang on a few of them.
void expect_candidate_results(at::Device device, const DeviceFunction& f,
                              const Tensors& inputs, bool decided) {
  Tensors stored, exact;
  for (const at::Tensor& input : inputs) {
    // The first two are rows, all others parameters.
    stored.push_back(input.to(stored.size() < 2 ? at::kBFloat16 : at::kFloat));
    exact.push_back(stored.back().to(at::kDouble));
  }
  const auto in_bf16 = [&](int threads) {
    set_num_threads(threads);
    Tensors results = results_on(device, f, stored, at::kBFloat16);
    set_num_threads(0);
    return results;
  };
  const Tensors expected = results_on(at::kCPU, f, exact, at::kBFloat16);
  const Tensors got = in_bf16(1);
  ASSERT_EQ(got.size(), expected.size());
  const size_t outputs = got.size() - stored.size();
  for (size_t i = 0; i < got.size(); ++i) {
    const bool is_rows = i < outputs + 2;
    EXPECT_EQ(got[i].scalar_type(), is_rows ? at::kBFloat16 : at::kFloat) << i;
    const bool of_candidate = i >= outputs + 4 && i < outputs + 8;
    if (of_candidate && !decided) continue;
    const at::Tensor off = got[i].to(at::kDouble) - expected[i];
    const double size = expected[i].norm().item<double>();
    const double of_gradients = (decided ? 2 : 5) * kBf16Tolerance;
    const double bound = i < outputs ? kBf16Tolerance : of_gradients;
    // Written so that a NaN fails. A bias before a norm over a batch has no
    // gradient but rounding.
    EXPECT_TRUE(off.norm().item<double>() <= bound * size + 0.3)
        << "result " << i << " is off by " << off.norm().item<double>()
        << " of " << size;
  }
  for (const int threads : {3, 5}) expect_same_bits(got, in_bf16(threads));
}

}  // namespace

void expect_candidate_in_bf16(at::Device device, const Graph& graph,
                              const CandidateCase& layer, int64_t gates,
                              int64_t width) {
  const DeviceFunction f = candidate_on(graph, layer);
  const int64_t rows = graph.num_nodes();
  expect_candidate_results(device, f, candidate_inputs(rows, gates, width),
                           /*decided=*/false);
  expect_candidate_results(device, f,
                           decided_candidate_inputs(rows, gates, width),
                           /*decided=*/true);
}

}  // namespace ordered_gnn
