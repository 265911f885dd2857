// Every switch of the network against a plain composition.
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include "nn/small_network.h"
#include "ordered_gnn/core/parallel.h"
#include "support/graphs.h"
#include "support/reference_model.h"

namespace ordered_gnn::nn {
namespace {

struct Case {
  std::string name;
  OrderedGnnOptions options;
  NodeFeatures::Kind kind = NodeFeatures::Kind::dense;
};

// Every switch away from its default, alone.
std::vector<Case> all_switches() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, auto change) {
    Case item{std::move(name), small_options()};
    change(item.options);
    cases.push_back(item);
  };
  add("defaults", [](auto&) {});
  for (const Gating gating : {Gating::none, Gating::simple, Gating::ordered}) {
    add("gating_" + to_string(gating), [&](auto& o) { o.gating = gating; });
  }
  for (const Aggregator aggregator :
       {Aggregator::gcn, Aggregator::sum, Aggregator::max, Aggregator::gat,
        Aggregator::signed_}) {
    add("aggregator_" + to_string(aggregator),
        [&](auto& o) { o.aggregator = aggregator; });
  }
  add("tied_gates", [](auto& o) { o.tied_gates = true; });
  add("chunk_1", [](auto& o) { o.chunk = 1; });
  add("one_gate", [](auto& o) { o.chunk = o.hidden; });
  add("norm_batch", [](auto& o) { o.norm = Norm::batch; });
  add("norm_none", [](auto& o) { o.norm = Norm::none; });
  add("residual", [](auto& o) { o.residual = true; });
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    add("transform_gating_" + to_string(gating), [&](auto& o) {
      o.transform = Transform::linear;
      o.gating = gating;
    });
  }
  for (const Norm norm : {Norm::batch, Norm::none}) {
    add("transform_candidate_norm_" + to_string(norm), [&](auto& o) {
      o.transform = Transform::linear;
      o.candidate_norm = norm;
      o.norm = Norm::none;
    });
  }
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    add("split_gating_" + to_string(gating), [&](auto& o) {
      o.directions = Directions::split;
      o.gating = gating;
    });
  }
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum}) {
    add("split_transform_" + to_string(aggregator), [&](auto& o) {
      o.directions = Directions::split;
      o.transform = Transform::linear;
      o.aggregator = aggregator;
      o.node_ids = NodeIds::adjacency;
      o.tied_gates = true;
    });
  }
  const auto hear = [](auto& o) { o.first_state = FirstState::heard; };
  add("heard", hear);
  for (const Gating gating : {Gating::none, Gating::simple, Gating::ordered}) {
    add("heard_gating_" + to_string(gating), [&](auto& o) {
      hear(o);
      o.gating = gating;
    });
  }
  add("heard_transform", [&](auto& o) {
    hear(o);
    o.transform = Transform::linear;
    o.candidate_norm = Norm::batch;
    o.aggregator = Aggregator::gcn;
  });
  add("heard_both_ways_beside_ids", [&](auto& o) {
    hear(o);
    o.directions = Directions::split;
    o.node_ids = NodeIds::adjacency;
    o.aggregator = Aggregator::sum;
  });
  for (const NodeIds ids : {NodeIds::id, NodeIds::adjacency}) {
    add("node_ids_" + to_string(ids), [&](auto& o) { o.node_ids = ids; });
    add("transform_node_ids_" + to_string(ids), [&](auto& o) {
      o.node_ids = ids;
      o.transform = Transform::linear;
    });
  }
  add("one_mlp_layer", [](auto& o) { o.mlp_layers = 1; });
  add("no_dropout", [](auto& o) { o.dropout_theta = o.dropout_xi = 0; });
  add("everything", [](auto& o) {
    o.aggregator = Aggregator::gat;
    o.tied_gates = o.residual = true;
    o.norm = o.candidate_norm = Norm::batch;
    o.transform = Transform::linear;
  });
  for (const auto kind :
       {NodeFeatures::Kind::sparse, NodeFeatures::Kind::identity}) {
    cases.push_back({kind == NodeFeatures::Kind::sparse ? "sparse_features"
                                                        : "identity_features",
                     small_options(), kind});
  }
  return cases;
}

class EverySwitch : public testing::TestWithParam<Case> {
 protected:
  EverySwitch()
      : features_(small_features(GetParam().kind)),
        shape_{features_.num_features(), kClasses, GetParam().kind, kNodes},
        model_(shape_, GetParam().options, /*seed=*/7),
        graph_(random_graph(kNodes, 90, 3)),
        labels_(torch::arange(kNodes, at::kLong).remainder(kClasses)) {
    model_.to(at::kDouble);
  }

  // Independent leaf copies, so that both sides have their own gradients.
  reference::Parameters copied_parameters() const {
    reference::Parameters out;
    for (const auto& item : model_.named_parameters()) {
      out[item.key()] = item.value().detach().clone().set_requires_grad(true);
    }
    for (const auto& item : model_.named_buffers()) {
      out[item.key()] = item.value().detach().clone();
    }
    return out;
  }

  NodeFeatures features_;
  ModelShape shape_;
  OrderedGnn model_;
  Graph graph_;
  at::Tensor labels_;
};

TEST_P(EverySwitch, MatchesThePlainCompositionInForwardLossAndGradients) {
  reference::Parameters copies = copied_parameters();
  const ForwardContext context{/*training=*/true, /*seed=*/9, /*step=*/4};
  const at::Tensor logits = model_.forward(graph_, features_, context);
  const at::Tensor wanted = reference::ordered_gnn_logits(
      GetParam().options, copies, graph_, features_, context);
  ASSERT_TRUE(torch::allclose(logits, wanted, 1e-10, 1e-10));
  const at::Tensor loss = torch::nn::functional::cross_entropy(logits, labels_);
  const at::Tensor wanted_loss =
      torch::nn::functional::cross_entropy(wanted, labels_);
  EXPECT_NEAR(loss.item<double>(), wanted_loss.item<double>(), 1e-11);
  loss.backward();
  wanted_loss.backward();
  for (const auto& item : model_.named_parameters()) {
    const at::Tensor& grad = item.value().grad();
    const at::Tensor& other = copies.at(item.key()).grad();
    ASSERT_EQ(grad.defined(), other.defined()) << item.key();
    if (!grad.defined()) continue;
    EXPECT_TRUE(torch::allclose(grad, other, 1e-8, 1e-10))
        << item.key() << " differs by " << (grad - other).abs().max();
  }
}

TEST_P(EverySwitch, MatchesInEvaluationWithItsGates) {
  const torch::NoGradGuard no_grad;
  const reference::Parameters copies = copied_parameters();
  ForwardTrace trace;
  std::vector<at::Tensor> gates;
  const at::Tensor logits = model_.forward(graph_, features_, {}, &trace);
  const at::Tensor wanted = reference::ordered_gnn_logits(
      GetParam().options, copies, graph_, features_, {}, &gates);
  EXPECT_TRUE(torch::allclose(logits, wanted, 1e-10, 1e-10));
  ASSERT_EQ(trace.gates.size(), gates.size());
  for (size_t k = 0; k < gates.size(); ++k) {
    EXPECT_TRUE(torch::allclose(trace.gates[k], gates[k], 1e-10, 1e-10));
  }
  EXPECT_EQ(trace.embeddings.sizes(),
            at::IntArrayRef({kNodes, GetParam().options.hidden}));
}

TEST_P(EverySwitch, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<at::Tensor> first;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    model_.zero_grad();
    const at::Tensor logits =
        model_.forward(graph_, features_, {/*training=*/true, 1, 1});
    logits.square().sum().backward();
    std::vector<at::Tensor> seen = {logits.detach().clone()};
    for (const auto& parameter : model_.parameters()) {
      if (parameter.grad().defined()) seen.push_back(parameter.grad().clone());
    }
    if (first.empty()) first = seen;
    ASSERT_EQ(first.size(), seen.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_TRUE(torch::equal(first[i], seen[i])) << threads << " threads";
    }
  }
  set_num_threads(0);
}

INSTANTIATE_TEST_SUITE_P(OrderedGnn, EverySwitch,
                         testing::ValuesIn(all_switches()),
                         [](const testing::TestParamInfo<Case>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace ordered_gnn::nn
