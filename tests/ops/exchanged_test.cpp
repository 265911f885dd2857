// Ops over a part of a graph, whose halo a stand-in for the other parts hands
// out, against the same ops over the whole graph.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>
#include <vector>

#include "core/row_exchange.h"
#include "ordered_gnn/ops/candidate_layer.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/ordered_layer.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/graphs.h"

namespace ordered_gnn::part_ops {
namespace {

constexpr int64_t kNodes = 40, kOwn = 25, kWidth = 16, kGates = 4;

// The halo is all other nodes.
class StandIn : public core::RowExchange {
 public:
  at::Tensor fetch(const at::Tensor& rows, Side side) override {
    return torch::cat({rows, side == Side::in ? in : out});
  }
  at::Tensor in;   ///< rows of the others
  at::Tensor out;  ///< gradients of the others' sums
};

struct PartOfGraph {
  PartOfGraph() : whole(random_graph(kNodes, 300, 4)) {
    const auto first_rows = [](const Adjacency& lists) -> Adjacency {
      const at::Tensor rowptr = lists.rowptr.narrow(0, 0, kOwn + 1).clone();
      return {rowptr,
              lists.col.narrow(0, 0, rowptr[kOwn].item<int64_t>()).clone()};
    };
    part = Graph::of_part(first_rows(whole.in()), first_rows(whole.out()),
                          whole.in().rowptr.diff(), exchange);
  }

  Graph whole, part;
  std::shared_ptr<StandIn> exchange = std::make_shared<StandIn>();
};

at::Tensor own(const at::Tensor& rows) { return rows.narrow(0, 0, kOwn); }
at::Tensor others(const at::Tensor& rows) {
  return rows.narrow(0, kOwn, kNodes - kOwn).detach();
}
at::Tensor leaf(const at::Tensor& values) {
  return values.detach().clone().set_requires_grad(true);
}

TEST(PartOfGraph, SumsAndTheirGradientsAreThoseOfTheWholeGraph) {
  torch::manual_seed(1);
  PartOfGraph graphs;
  const at::Tensor h = torch::randn({kNodes, kWidth});
  const at::Tensor weight = torch::randn({kNodes, kWidth});
  for (const auto sum : {&mean_aggregate, &gcn_aggregate, &sum_aggregate}) {
    const at::Tensor all = leaf(h);
    const at::Tensor whole = sum(graphs.whole, all);
    whole.backward(weight);
    graphs.exchange->in = others(h);
    graphs.exchange->out = others(weight);
    const at::Tensor rows = leaf(own(h));
    const at::Tensor part = sum(graphs.part, rows);
    part.backward(own(weight));
    EXPECT_TRUE(torch::equal(part, own(whole)));
    EXPECT_TRUE(torch::equal(rows.grad(), own(all.grad())));
  }
}

OrderedLayerParameters random_parameters() {
  return {torch::randn({kGates, 2 * kWidth}) / 4, torch::randn({kGates}),
          torch::rand({kWidth}) + 0.5, torch::randn({kWidth})};
}

OrderedLayerParameters leaves(const OrderedLayerParameters& p) {
  return {leaf(p.gate_weight), leaf(p.gate_bias), leaf(p.norm_weight),
          leaf(p.norm_bias)};
}

// Gradients of the sums of every node, by the layer's gradient with respect to
// what an added zero would be.
template <typename Layer>
at::Tensor gradient_of_sums(const Graph& graph, const at::Tensor& h,
                            const at::Tensor& weight, const Layer& layer) {
  const at::Tensor m =
      leaf(scaled_aggregate(graph, graph.inverse_in_degree(), {}, h));
  (layer(h, m) * weight).sum().backward();
  return m.grad();
}

TEST(PartOfGraph, ALayerAndItsGradientsAreThoseOfTheWholeGraph) {
  torch::manual_seed(2);
  PartOfGraph graphs;
  const at::Tensor h = torch::randn({kNodes, kWidth});
  const at::Tensor prev = torch::rand({kNodes, kGates});
  const at::Tensor weight = torch::randn({kNodes, kWidth});
  const OrderedLayerParameters parameters = random_parameters();
  OrderedLayerSettings settings;
  const at::Tensor scale = graphs.whole.inverse_in_degree();
  const at::Tensor grad_m = gradient_of_sums(
      graphs.whole, h, weight, [&](const at::Tensor& x, const at::Tensor& m) {
        const at::Tensor logits =
            pair_linear(x, m, parameters.gate_weight, parameters.gate_bias);
        return torch::layer_norm(
            ordered_gate(settings.gating, logits, prev, x, m).h, {kWidth},
            parameters.norm_weight, parameters.norm_bias, settings.norm_eps);
      });
  graphs.exchange->in = others(h);
  graphs.exchange->out = others(grad_m);
  // A gradient of zero for the others' rows leaves their sums' alone.
  const at::Tensor all = leaf(h), all_prev = leaf(prev);
  const OrderedLayerParameters of_whole = leaves(parameters);
  const auto whole = ordered_layer(graphs.whole, {all, all_prev, scale, {}},
                                   of_whole, settings);
  (whole.h * weight).sum().backward();
  const at::Tensor rows = leaf(own(h)), rows_prev = leaf(own(prev));
  const OrderedLayerParameters of_part = leaves(parameters);
  const auto part = ordered_layer(graphs.part, {rows, rows_prev, scale, {}},
                                  of_part, settings);
  (part.h * own(weight)).sum().backward();
  EXPECT_TRUE(torch::equal(part.h, own(whole.h)));
  EXPECT_TRUE(torch::equal(part.gate, own(whole.gate)));
  EXPECT_TRUE(torch::allclose(rows.grad(), own(all.grad()), 1e-4, 1e-5));
  EXPECT_TRUE(torch::equal(rows_prev.grad(), own(all_prev.grad())));
  // Without a gradient nothing is kept, and the values are the same.
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(
      torch::equal(ordered_layer(graphs.part, {own(h), own(prev), scale, {}},
                                 parameters, settings)
                       .h,
                   own(whole.h)));
}

TEST(PartOfGraph, ACandidateLayerIsThatOfTheWholeGraph) {
  torch::manual_seed(3);
  PartOfGraph graphs;
  const at::Tensor h = torch::randn({kNodes, kWidth});
  const at::Tensor scale = graphs.whole.inverse_in_degree();
  graphs.exchange->in = others(h);
  graphs.exchange->out = torch::zeros({kNodes - kOwn, kWidth});
  CandidateLayerParameters parameters;
  parameters.gate_weight = torch::randn({kGates, 2 * kWidth}) / 4;
  parameters.gate_bias = torch::randn({kGates});
  parameters.candidate_weight = torch::randn({kWidth, 2 * kWidth}) / 4;
  parameters.candidate_bias = torch::randn({kWidth});
  for (RowNorm* norm : {&parameters.candidate_norm, &parameters.norm}) {
    norm->weight = torch::rand({kWidth}) + 0.5;
    norm->bias = torch::randn({kWidth});
  }
  const auto run = [&](const Graph& graph, const at::Tensor& rows) {
    return candidate_layer(graph, {rows, {}, scale, {}}, parameters, {});
  };
  const at::Tensor all = leaf(h), rows = leaf(own(h));
  const auto whole = run(graphs.whole, all);
  const auto part = run(graphs.part, rows);
  EXPECT_TRUE(torch::equal(part.h, own(whole.h)));
  // Of the part's own rows alone, so that nothing comes back from others.
  const at::Tensor weight = torch::randn({kOwn, kWidth});
  (own(whole.h) * weight).sum().backward();
  (part.h * weight).sum().backward();
  EXPECT_TRUE(torch::allclose(rows.grad(), own(all.grad()), 1e-4, 1e-5));
}

TEST(PartOfGraph, OpsThatDoNotFetchRefuseIt) {
  PartOfGraph graphs;
  const at::Tensor h = torch::randn({kOwn, kWidth});
  EXPECT_THROW(max_aggregate(graphs.part, h), c10::Error);
  EXPECT_THROW(propagate(graphs.part, h, {0.1, 2, {}}), c10::Error);
  EXPECT_THROW(graphs.part.two_hop(), std::exception);
  EXPECT_THROW(mean_aggregate(graphs.part, torch::randn({kOwn + 1, kWidth})),
               c10::Error);
  EXPECT_THROW(mean_aggregate(graphs.whole, torch::randn({kNodes + 1, kWidth})),
               c10::Error);
}

}  // namespace
}  // namespace ordered_gnn::part_ops
