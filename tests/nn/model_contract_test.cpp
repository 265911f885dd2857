// What every model of the table must do, whatever it computes, and what those
// that learn must do besides. Saving and loading: tests/train/model_runs_test.
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <cmath>
#include <functional>

#include "nn/baselines/geom_gcn.h"
#include "ordered_gnn/core/parallel.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kContractNodes = 13;
constexpr int64_t kContractFeatures = 5;
constexpr int64_t kContractClasses = 3;

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// Directed, with a node nobody sends to and one without any edge.
Pairs some_edges() {
  Pairs edges;
  RandomStream random(3);
  for (int64_t e = 0; e < 34; ++e) {
    edges.emplace_back(static_cast<int64_t>(random.below(kContractNodes - 1)),
                       static_cast<int64_t>(random.below(kContractNodes - 2)));
  }
  return edges;
}

Graph with_loops(int64_t num_nodes, const Pairs& edges) {
  return Graph::from_edges(num_nodes, edges,
                           {Direction::as_stored, SelfLoops::add});
}

// About a third of the entries are zeros, so that sparse rows mean something.
at::Tensor some_values(int64_t num_nodes) {
  const at::Tensor drawn =
      random_tensor({num_nodes, kContractFeatures}, at::kFloat, 8);
  return drawn * drawn.gt(-0.3);
}

// What models are told that read more than features: the classes of every other
// node, and the one preparation that there is, a layout of the graph.
struct Extras {
  explicit Extras(const Graph& graph)
      : layout(std::make_shared<GeomLayout>(
            data::make_latent_space(graph, data::kIsomap))) {
    known.nodes = torch::arange(0, graph.num_nodes(), 2, at::kLong);
    known.labels = known.nodes.remainder(kContractClasses);
  }

  ForwardContext evaluation() const {
    ForwardContext context;
    context.known = &known;
    context.preparation = layout;
    return context;
  }

  ForwardContext training(int64_t seed, int64_t step) const {
    ForwardContext context = evaluation();
    context.training = true;
    context.seed = seed;
    context.step = step;
    return context;
  }

  KnownLabels known;
  std::shared_ptr<const GeomLayout> layout;
};

class ModelContract : public testing::TestWithParam<ModelCase> {
 protected:
  std::shared_ptr<NodeModel> new_model(const NodeFeatures& features,
                                       int64_t seed = 5) const {
    return create_model(GetParam().model,
                        {features.num_features(), kContractClasses,
                         features.kind(), features.num_nodes()},
                        GetParam().options, seed);
  }

  const Graph graph_ = Graph::from_edges(kContractNodes, some_edges());
  const NodeFeatures features_ =
      NodeFeatures::dense(some_values(kContractNodes));
  const Extras extras_{graph_};
};

class LearningContract : public ModelContract {};

TEST_P(ModelContract, GivesLogitsAndEmbeddingsForFeaturesOfAnyKind) {
  for (const NodeFeatures& features :
       {features_, sparse_from(features_.dense_values()),
        NodeFeatures::identity(kContractNodes)}) {
    const auto model = new_model(features);
    ForwardTrace trace;
    const at::Tensor logits =
        model->forward(graph_, features, extras_.evaluation(), &trace);
    EXPECT_EQ(logits.sizes(),
              at::IntArrayRef({kContractNodes, kContractClasses}));
    EXPECT_EQ(logits.scalar_type(), at::kFloat);
    EXPECT_TRUE(logits.isfinite().all().item<bool>());
    EXPECT_EQ(logits.requires_grad(), !model->parameters().empty());
    ASSERT_TRUE(trace.embeddings.defined());
    EXPECT_EQ(trace.embeddings.size(0), kContractNodes);
  }
}

TEST_P(ModelContract, PreparesWhatItReadsAnOptionFor) {
  NodeDataset data;
  data.graph = graph_;
  data.features = features_;
  data.num_classes = kContractClasses;
  const auto made = new_model(features_)->prepare(data);
  const auto ahead =
      prepare_model(GetParam().model, GetParam().options, data, {});
  EXPECT_EQ(made != nullptr,
            find_model(GetParam().model).reads_option("layout-cache"));
  EXPECT_EQ(ahead != nullptr, made != nullptr);
}

TEST_P(ModelContract, TheKindOfTheFeaturesDoesNotShow) {
  const torch::NoGradGuard no_grad;
  const NodeFeatures sparse = sparse_from(features_.dense_values());
  const ForwardContext training = extras_.training(2, 3);
  EXPECT_TRUE(
      close_to(new_model(sparse)->forward(graph_, sparse, training),
               new_model(features_)->forward(graph_, features_, training)));
}

// The derivative of sum(w * logits) by one element, by central differences.
double numeric_gradient(const std::function<at::Tensor()>& objective,
                        at::Tensor element) {
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  const double centre = element.item<double>();
  element.fill_(centre + kStep);
  const double above = objective().item<double>();
  element.fill_(centre - kStep);
  const double below = objective().item<double>();
  element.fill_(centre);
  return (above - below) / (2 * kStep);
}

TEST_P(LearningContract, GradientsAreThoseOfCentralDifferences) {
  const auto model = new_model(features_);
  model->to(at::kDouble);
  {
    // Biases of 0 leave isolated nodes exactly at the kink of relu. Maxima tie
    // only between zeros of relu and dropout, which pass no gradient on.
    const torch::NoGradGuard no_grad;
    uint64_t seed = 20;
    for (at::Tensor& parameter : model->parameters()) {
      parameter += random_tensor(parameter.sizes(), at::kDouble, seed++) * 0.1;
    }
  }
  const at::Tensor directions =
      random_tensor({kContractNodes, kContractClasses}, at::kDouble, 4);
  const auto objective = [&] {
    return (model->forward(graph_, features_, extras_.training(2, 3)) *
            directions)
        .sum();
  };
  objective().backward();
  RandomStream random(1);
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    for (int probe = 0; probe < 5; ++probe) {
      at::Tensor element = item.value().detach();
      at::Tensor analytic = item.value().grad();
      while (element.dim() > 0) {
        const auto at = static_cast<int64_t>(random.below(element.size(0)));
        element = element.select(0, at);
        analytic = analytic.select(0, at);
      }
      const double numeric = numeric_gradient(objective, element);
      EXPECT_NEAR(analytic.item<double>(), numeric,
                  1e-6 + 1e-5 * std::abs(numeric))
          << item.key();
    }
  }
}

TEST_P(LearningContract, OverfitsATinyGraph) {
  const Graph graph = with_loops(kContractNodes, some_edges());
  const NodeFeatures features = NodeFeatures::identity(kContractNodes);
  const at::Tensor labels =
      torch::arange(kContractNodes, at::kLong).remainder(3);
  Extras extras(graph);
  extras.known = {labels.slice(0, 0, 0), labels.slice(0, 0, 0)};
  ModelCase settings = GetParam();
  settings.options.dropout_theta = settings.options.dropout_xi = 0;
  const auto model =
      create_model(settings.model,
                   {kContractNodes, kContractClasses,
                    NodeFeatures::Kind::identity, kContractNodes},
                   settings.options, 1);
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(0.05));
  for (int step = 0; step < 400; ++step) {
    adam.zero_grad();
    torch::nn::functional::cross_entropy(
        model->forward(graph, features, extras.training(1, step)), labels)
        .backward();
    adam.step();
  }
  EXPECT_TRUE(torch::equal(
      model->forward(graph, features, extras.evaluation()).argmax(1), labels));
}

// The same edges between nodes with other numbers.
Graph moved_to(const at::Tensor& place, const Graph& graph) {
  const at::Tensor senders =
      place.index_select(0, graph.in().col.to(at::kLong));
  const at::Tensor receivers =
      place.index_select(0, at::repeat_interleave(graph.in().rowptr.diff()));
  return Graph::from_edges(graph.num_nodes(), at::stack({senders, receivers}));
}

TEST_P(ModelContract, PermutedNodesGivePermutedLogits) {
  const torch::NoGradGuard no_grad;
  RandomStream random(6);
  const at::Tensor order =
      random_permutation(kContractNodes, random);  // new to old
  const at::Tensor place = order.argsort();        // old to new
  Pairs moved;
  for (const auto& [from, to] : some_edges()) {
    moved.emplace_back(place[from].item<int64_t>(), place[to].item<int64_t>());
  }
  const NodeFeatures features =
      NodeFeatures::dense(features_.dense_values().index_select(0, order));
  const auto model = new_model(features_);
  const at::Tensor before =
      model->forward(graph_, features_, extras_.evaluation());
  for (at::Tensor& parameter : model->parameters()) {
    if (parameter.size(0) == kContractNodes) {
      parameter.copy_(parameter.index_select(0, order));
    }
  }
  Extras extras = extras_;
  extras.known.nodes = place.index_select(0, extras.known.nodes);
  const data::LatentSpace& space = extras_.layout->space;
  extras.layout = std::make_shared<GeomLayout>(
      data::LatentSpace{space.position.index_select(0, order),
                        moved_to(place, space.neighbours)});
  const at::Tensor after = model->forward(
      Graph::from_edges(kContractNodes, moved), features, extras.evaluation());
  EXPECT_TRUE(close_to(after, before.index_select(0, order)));
}

TEST_P(ModelContract, StaysFiniteOnIsolatedNodesAndEmptyGraphs) {
  for (const NamedGraph& named : small_graphs()) {
    const NodeFeatures features =
        NodeFeatures::dense(some_values(named.graph.num_nodes()));
    const auto model = new_model(features);
    const Extras extras(named.graph);
    const at::Tensor logits =
        model->forward(named.graph, features, extras.training(1, 1));
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << named.name;
    if (logits.requires_grad()) logits.square().sum().backward();
    for (const auto& item : model->named_parameters()) {
      EXPECT_TRUE(item.value().grad().defined() &&
                  item.value().grad().isfinite().all().item<bool>())
          << named.name << ": " << item.key();
    }
  }
}

TEST_P(ModelContract, OneSeedGivesTheSameBits) {
  const auto step = [this](int64_t seed, int threads) {
    set_num_threads(threads);
    const auto model = new_model(features_, seed);
    const at::Tensor logits =
        model->forward(graph_, features_, extras_.training(seed, 7));
    if (logits.requires_grad()) logits.square().sum().backward();
    std::vector<at::Tensor> all = {logits.detach()};
    for (const at::Tensor& parameter : model->parameters()) {
      all.push_back(parameter.detach());
      all.push_back(parameter.grad());
    }
    set_num_threads(0);
    return all;
  };
  const std::vector<at::Tensor> once = step(5, 1), again = step(5, 2);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_TRUE(torch::equal(once[i], again[i])) << i;
  }
  // A model without parameters draws nothing, so no seed shows.
  const bool learns = once.size() > 1;
  EXPECT_NE(torch::equal(once[0], step(6, 1)[0]), learns);
}

std::string name_of(const testing::TestParamInfo<ModelCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(AllModels, ModelContract,
                         testing::ValuesIn(model_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(AllModels, LearningContract,
                         testing::ValuesIn(learning_cases()), name_of);

}  // namespace
}  // namespace ordered_gnn::nn
