// What weights of edges do to every model of the table.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>

#include "nn/baselines/geom_gcn.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kSomeNodes = 14;
constexpr int64_t kSomeClasses = 3;

// The graph with these weights in the place of its own.
Graph with_weights(const Graph& graph, const at::Tensor& weights) {
  GraphOptions options;
  options.weights = weights;
  return Graph::from_edges(
      graph.num_nodes(),
      torch::stack({reference::senders(graph), reference::receivers(graph)}),
      options);
}

// A weighted graph without the edges whose weight is 0.
Graph without_zeros(const Graph& graph) {
  const at::Tensor stays = graph.weights().gt(0);
  GraphOptions options;
  options.weights = graph.weights().masked_select(stays);
  return Graph::from_edges(
      graph.num_nodes(),
      torch::stack({reference::senders(graph).masked_select(stays),
                    reference::receivers(graph).masked_select(stays)}),
      options);
}

class WeightsOfModels : public testing::TestWithParam<ModelCase> {
 protected:
  WeightsOfModels() {
    known_.nodes = torch::arange(0, kSomeNodes, 2, at::kLong);
    known_.labels = known_.nodes.remainder(kSomeClasses);
  }

  bool reads_weights() const {
    return why_no_weights(GetParam().model, GetParam().options).empty();
  }

  // Of one layout, whatever the weights.
  ForwardContext context(bool training = false) const {
    ForwardContext context;
    context.known = &known_;
    context.preparation = layout_;
    context.training = training;
    context.seed = 3;
    context.step = 2;
    return context;
  }

  at::Tensor logits(const Graph& graph) const {
    const torch::NoGradGuard no_grad;
    return model_->forward(graph, features_, context());
  }

  const Graph plain_ = random_graph(kSomeNodes, 70, 6);
  const Graph weighted_ = weighted(plain_, 3);
  const NodeFeatures features_ =
      NodeFeatures::dense(random_tensor({kSomeNodes, 5}, at::kFloat, 8));
  const std::shared_ptr<NodeModel> model_ =
      create_model(GetParam().model,
                   {5, kSomeClasses, NodeFeatures::Kind::dense, kSomeNodes},
                   GetParam().options, 5);
  const std::shared_ptr<const GeomLayout> layout_ =
      std::make_shared<GeomLayout>(
          data::make_latent_space(plain_, data::kIsomap));
  KnownLabels known_;
};

TEST_P(WeightsOfModels, ChangeWhatReadsThemAndNothingElse) {
  const at::Tensor before = logits(plain_);
  const at::Tensor after = logits(weighted_);
  EXPECT_TRUE(after.isfinite().all().item<bool>());
  if (reads_weights()) {
    EXPECT_FALSE(torch::allclose(before, after));
  } else {
    EXPECT_TRUE(torch::equal(before, after));
  }
}

TEST_P(WeightsOfModels, OfOneAreNoWeights) {
  const Graph ones =
      with_weights(weighted_, torch::ones({weighted_.num_edges()}));
  EXPECT_TRUE(close_to(logits(ones), logits(plain_)));
}

TEST_P(WeightsOfModels, OfZeroAreNoEdges) {
  if (!reads_weights()) GTEST_SKIP() << "reads none";
  ASSERT_LT(without_zeros(weighted_).num_edges(), weighted_.num_edges());
  EXPECT_TRUE(close_to(logits(weighted_), logits(without_zeros(weighted_))));
}

TEST_P(WeightsOfModels, LeaveGradientsExact) {
  model_->to(at::kDouble);
  if (model_->parameters().empty()) GTEST_SKIP() << "learns nothing";
  const at::Tensor directions =
      random_tensor({kSomeNodes, kSomeClasses}, at::kDouble, 4);
  const auto objective = [&] {
    return (model_->forward(weighted_, features_, context(/*training=*/true)) *
            directions)
        .sum();
  };
  const at::Tensor parameter = model_->parameters().front();
  const at::Tensor gradient =
      torch::autograd::grad({objective()}, {parameter})[0].reshape(-1);
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (const int64_t i : {int64_t{0}, parameter.numel() / 2}) {
    const at::Tensor flat = torch::zeros({parameter.numel()}, at::kDouble);
    flat[i] = kStep;
    const at::Tensor shift = flat.view(parameter.sizes());
    at::Tensor values = parameter.detach();
    values += shift;
    const double above = objective().item<double>();
    values -= 2 * shift;
    const double below = objective().item<double>();
    values += shift;
    EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep),
                1e-5 * (1 + std::abs(gradient[i].item<double>())));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, WeightsOfModels,
                         testing::ValuesIn(model_cases()),
                         [](const testing::TestParamInfo<ModelCase>& info) {
                           return info.param.name;
                         });

ModelOptions fusible_options() {
  ModelOptions options;
  options.layers = 6;
  options.hidden = 12;
  options.chunk = 3;
  return options;
}

TEST(WeightsOfOrderedGnn, GiveTheSameOnEveryWay) {
  const Graph graph = weighted(random_graph(kSomeNodes, 70, 6), 3);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({kSomeNodes, 5}, at::kFloat, 8));
  for (const Gating gating : {Gating::softor, Gating::ordered}) {
    ModelOptions options = fusible_options();
    options.gating = gating;
    OrderedGnn model({5, kSomeClasses}, options, 5);
    ForwardContext context;
    const at::Tensor expected = model.forward(graph, features, context);
    context.fused = false;
    EXPECT_TRUE(close_to(model.forward(graph, features, context), expected));
    context = {};
    context.checkpoint_layers = true;
    EXPECT_TRUE(close_to(model.forward(graph, features, context), expected));
    // Piece by piece.
    OrderedGnn::State state = model.first_state(features);
    for (int64_t layer = 1; layer <= options.layers; ++layer) {
      state = model.next_state(graph, layer, state);
    }
    EXPECT_TRUE(close_to(model.classify(state.h), expected));
  }
}

TEST(WeightsOfOrderedGnn, DoNotMatterToAMeanWhenAllAreTwiceAsLarge) {
  const Graph graph = weighted(random_graph(kSomeNodes, 70, 6), 3);
  const Graph doubled = with_weights(graph, graph.weights() * 2);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({kSomeNodes, 5}, at::kFloat, 8));
  OrderedGnn model({5, kSomeClasses}, fusible_options(), 5);
  EXPECT_TRUE(torch::equal(model.forward(graph, features, {}),
                           model.forward(doubled, features, {})));
}

TEST(WeightsOfModelTable, AreToldToBeUnreadByName) {
  ModelOptions options;
  EXPECT_EQ(why_no_weights("gcn", options), "");
  EXPECT_EQ(why_no_weights("ordered_gnn", options), "");
  EXPECT_TRUE(contains(why_no_weights("mlp", options),
                       "mlp reads no edge weights; ordered_gnn, gated_gnn"));
  options.aggregator = Aggregator::max;
  EXPECT_EQ(why_no_weights("ordered_gnn", options),
            "ordered_gnn reads no edge weights with --aggregator max; mean, "
            "gcn and sum do");
  EXPECT_EQ(why_no_weights("jknet", options), "");
  options.convolution = ConvolutionKind::sage;
  EXPECT_TRUE(contains(why_no_weights("jknet", options), "--aggregator max"));
}

}  // namespace
}  // namespace ordered_gnn::nn
