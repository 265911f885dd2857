#include "ordered_gnn/explain/node_explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "explain/changed_nodes.h"
#include "explain/heard_part.h"
#include "explained_data.h"
#include "ordered_gnn/train/prediction.h"
#include "support/errors.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn::explain {
namespace {

// The graph without any edge of one node, made anew from its list.
Graph plain_without(const Graph& graph, int64_t removed) {
  std::vector<std::pair<int64_t, int64_t>> edges;
  std::vector<float> weights;
  const bool weighted = graph.weights().defined();
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    for (int64_t e = graph.in().rowptr[v].item<int64_t>();
         e < graph.in().rowptr[v + 1].item<int64_t>(); ++e) {
      const int64_t u = graph.in().col[e].item<int64_t>();
      if (u == removed || v == removed) continue;
      edges.emplace_back(u, v);
      if (weighted) weights.push_back(graph.weights()[e].item<float>());
    }
  }
  GraphOptions options;
  if (weighted) options.weights = torch::tensor(weights);
  return Graph::from_edges(graph.num_nodes(), edges, options);
}

// A long ring with a few chords: the part that a node hears is small.
NodeDataset ring_data(SelfLoops loops, Direction direction) {
  constexpr int64_t kNodes = 60;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < kNodes; ++v) {
    edges.emplace_back(v, (v + 1) % kNodes);
    if (v % 7 == 0) edges.emplace_back(v, (v + 4) % kNodes);
  }
  return explained_data(Graph::from_edges(kNodes, edges, {direction, loops}));
}

void expect_exact(NodeModel& model, NodeDataset data, int64_t node,
                  const std::string& name) {
  NodeExplanationOptions options;
  options.max_removals = 100;
  const NodeExplanation got = explain_node(model, data, node, options);
  const Prediction now = predict(model, data);
  const int64_t predicted = now.labels[node].item<int64_t>();
  EXPECT_EQ(got.predicted, predicted) << name;
  for (int64_t c = 0; c < data.num_classes; ++c) {
    const auto at = static_cast<size_t>(c);
    EXPECT_NEAR(got.probabilities[at], now.probabilities[node][c].item<float>(),
                1e-5)
        << name;
    EXPECT_NEAR(got.logits[at], now.logits[node][c].item<float>(), 1e-4)
        << name;
  }
  EXPECT_EQ(static_cast<int64_t>(got.influences.size()), got.num_candidates);
  // What is prepared of a graph without the node would be another.
  if (model.prepare(data) != nullptr) return;
  const Graph whole = data.graph;
  for (const Influence& influence : got.influences) {
    data.graph = plain_without(whole, influence.node);
    const Prediction then = predict(model, data);
    EXPECT_NEAR(influence.change,
                then.probabilities[node][predicted].item<double>() -
                    now.probabilities[node][predicted].item<double>(),
                1e-5)
        << name << " without " << influence.node;
    EXPECT_EQ(influence.predicted, then.labels[node].item<int64_t>()) << name;
  }
}

class NodesOfModels : public testing::TestWithParam<ModelCase> {};

TEST_P(NodesOfModels, ARemovalEqualsARunOnTheWholeGraph) {
  for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::add}) {
    const NodeDataset directed = ring_data(loops, Direction::as_stored);
    const NodeDataset both = ring_data(loops, Direction::undirected);
    const auto model =
        explained_model(GetParam().model, directed, GetParam().options);
    expect_exact(*model, directed, 11, GetParam().name);
    expect_exact(*model, both, 35, GetParam().name);
  }
  // A node that hears most of the graph after a few rounds.
  const NodeDataset dense = explained_data(random_graph(60, 150, 8));
  const auto model =
      explained_model(GetParam().model, dense, GetParam().options);
  expect_exact(*model, dense, 3, GetParam().name);
}

TEST_P(NodesOfModels, ARemovalKeepsTheWeightsOfOtherEdges) {
  NodeDataset data = ring_data(SelfLoops::add, Direction::undirected);
  data.graph = weighted(data.graph, 4);
  const auto model =
      explained_model(GetParam().model, data, GetParam().options);
  expect_exact(*model, data, 35, GetParam().name);
  const NodeDataset dense =
      explained_data(weighted(random_graph(60, 150, 8), 5));
  const auto other =
      explained_model(GetParam().model, dense, GetParam().options);
  expect_exact(*other, dense, 3, GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Models, NodesOfModels,
                         testing::ValuesIn(model_cases()),
                         [](const testing::TestParamInfo<ModelCase>& info) {
                           return info.param.name;
                         });

TEST(ExplainNode, IsExactForEveryAggregatorAndKindOfFeatures) {
  NodeDataset data = ring_data(SelfLoops::add, Direction::undirected);
  const NodeFeatures dense = data.features;
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum, Aggregator::max,
        Aggregator::gat, Aggregator::signed_}) {
    ModelOptions options = explained_options();
    options.aggregator = aggregator;
    for (const NodeFeatures& features :
         {dense, sparse_from(dense.dense_values()),
          NodeFeatures::identity(data.num_nodes())}) {
      data.features = features;
      const auto model = explained_model("ordered_gnn", data, options);
      expect_exact(*model, data, 20, to_string(aggregator));
    }
  }
}

// 0 -> 1 -> 2 -> ...: two rounds, and one step more for the degrees.
TEST(HeardPart, IsNoLargerThanItMustBe) {
  const NodeDataset data = explained_data(chain(30));
  const HeardPart part = heard_part(data, 10, 2);
  EXPECT_EQ(part.nodes, (std::vector<int64_t>{7, 8, 9, 10}));
  EXPECT_EQ(part.graph.num_edges(), 3);
  EXPECT_EQ(part.features.num_nodes(), 4);
  EXPECT_EQ(part.place_of(9), 2);
  EXPECT_EQ(part.place_of(11), -1);
  EXPECT_EQ(part.without(2).num_edges(), 1);
  EXPECT_EQ(heard_part(data, 10, -1).graph.num_edges(), 29);
}

// 0 -> 1 -> ... -> 5: without node 2 the row of 3 changes first, then that of
// 4, and node 5 is beyond what node 4 hears.
TEST(ChangedNodes, AreThoseThatDifferAndMatter) {
  const std::vector<int64_t> distance = {4, 3, 2, 1, 0, 4};
  const ChangedNodes changed = changed_nodes(chain(6), 2, 3, distance);
  const std::vector<std::vector<int64_t>> wanted = {{}, {3}, {3, 4}, {4}};
  EXPECT_EQ(changed.layers, wanted);
  EXPECT_EQ(changed.edges, 4);
  // What is too far away to arrive changes nothing.
  const ChangedNodes far = changed_nodes(chain(6), 0, 3, distance);
  for (const auto& layer : far.layers) EXPECT_TRUE(layer.empty());
}

TEST(ExplainNode, DrawsTheTreeOfFirstArrivals) {
  // 3 and 4 send to 0; 3, 5 and 6 to 4; 6 and 0 to 3; node 1 is far away.
  const NodeDataset data = explained_data(Graph::from_edges(8, {{3, 0},
                                                                {4, 0},
                                                                {0, 0},
                                                                {3, 4},
                                                                {5, 4},
                                                                {6, 4},
                                                                {6, 3},
                                                                {0, 3},
                                                                {1, 5},
                                                                {2, 7}}));
  const auto model = explained_model("gcn", data, explained_options());
  const NodeExplanation got = explain_node(*model, data, 0);
  EXPECT_EQ(got.depth, 2);
  std::vector<std::vector<int64_t>> tree;
  for (const TreeNode& node : got.tree) {
    tree.push_back({node.node, node.parent, node.depth, node.left_out});
  }
  // Node 4 hears more and stands first; 3 is at depth 1 already.
  const std::vector<std::vector<int64_t>> wanted = {
      {0, -1, 0, 0}, {4, 0, 1, 0}, {3, 0, 1, 0}, {6, 1, 2, 0}, {5, 1, 2, 0}};
  EXPECT_EQ(std::set<std::vector<int64_t>>(tree.begin(), tree.end()),
            std::set<std::vector<int64_t>>(wanted.begin(), wanted.end()));
  EXPECT_EQ(tree[1], wanted[1]);
  ASSERT_EQ(got.hops.size(), 4u);
  const std::vector<int64_t> sizes = {1, 2, 2, 1};
  for (size_t k = 0; k < sizes.size(); ++k) {
    EXPECT_EQ(got.hops[k].nodes, sizes[k]) << k;
    EXPECT_EQ(got.hops[k].hop, static_cast<int64_t>(k));
  }
  // Labels of 3 and 4: 0 and none.
  EXPECT_EQ(got.hops[1].labels, (std::vector<int64_t>{1, 0, 0}));
  EXPECT_EQ(got.hops[1].unlabelled, 1);
  int64_t predictions = 0;
  for (const int64_t count : got.hops[1].predictions) predictions += count;
  EXPECT_EQ(predictions, 2);
}

TEST(ExplainNode, GoesBothWaysWhereDirectionsAreSplit) {
  const NodeDataset data = explained_data(chain(7));
  ModelOptions options = explained_options();
  const auto joint = explained_model("ordered_gnn", data, options);
  options.directions = Directions::split;
  const auto split = explained_model("ordered_gnn", data, options);
  const NodeExplanation along = explain_node(*joint, data, 3);
  const NodeExplanation both = explain_node(*split, data, 3);
  ASSERT_EQ(along.hops.size(), 4u);
  ASSERT_EQ(both.hops.size(), 4u);
  for (size_t k = 1; k < 4; ++k) {
    EXPECT_EQ(along.hops[k].nodes, 1);
    EXPECT_EQ(both.hops[k].nodes, 2);
  }
  std::set<int64_t> tried;
  for (const Influence& influence : both.influences) {
    tried.insert(influence.node);
    EXPECT_NE(influence.change, 0) << influence.node;
  }
  EXPECT_EQ(tried.count(2), 1u);
  EXPECT_EQ(tried.count(4), 1u);
}

TEST(ExplainNode, CapsTheTreeAndCountsWhatIsLeftOut) {
  const NodeDataset data = explained_data(star(20));
  const auto model = explained_model("gcn", data, explained_options());
  NodeExplanationOptions options;
  options.max_children = 5;
  const NodeExplanation broad = explain_node(*model, data, 0, options);
  EXPECT_EQ(broad.tree.size(), 6u);
  EXPECT_EQ(broad.tree[0].left_out, 14);
  EXPECT_EQ(broad.tree[1].node, 1);
  options.max_tree_nodes = 3;
  const NodeExplanation small = explain_node(*model, data, 0, options);
  EXPECT_EQ(small.tree.size(), 3u);
  EXPECT_EQ(small.tree[0].left_out, 17);
  EXPECT_EQ(small.hops[1].nodes, 19);
}

TEST(ExplainNode, TriesTheNearestWithTheMostNeighboursFirst) {
  // 0 hears 1 and 2; 2 hears 3, 4 and 5, 1 hears nobody.
  const NodeDataset data = explained_data(
      Graph::from_edges(6, {{1, 0}, {2, 0}, {3, 2}, {4, 2}, {5, 2}}));
  const auto model = explained_model("gcn", data, explained_options());
  NodeExplanationOptions options;
  options.max_removals = 1;
  const NodeExplanation one = explain_node(*model, data, 0, options);
  EXPECT_EQ(one.num_candidates, 5);
  ASSERT_EQ(one.influences.size(), 1u);
  EXPECT_EQ(one.influences[0].node, 2);
  EXPECT_EQ(one.influences[0].distance, 1);
  options.max_removals = 9;
  const NodeExplanation all = explain_node(*model, data, 0, options);
  ASSERT_EQ(all.influences.size(), 5u);
  for (size_t i = 1; i < 5; ++i) {
    EXPECT_GE(std::fabs(all.influences[i - 1].change),
              std::fabs(all.influences[i].change));
  }
  options.max_edge_visits = 35;  // twice 5 edges in 3 rounds
  EXPECT_EQ(explain_node(*model, data, 0, options).influences.size(), 2u);
  options.max_edge_visits = 0;
  EXPECT_EQ(explain_node(*model, data, 0, options).influences.size(), 1u);
  options.max_removals = 0;
  EXPECT_TRUE(explain_node(*model, data, 0, options).influences.empty());
  const auto ordered = explained_model("bare_gnn", data, explained_options());
  options = {};
  EXPECT_EQ(explain_node(*ordered, data, 0, options).influences.size(), 5u);
  options.max_edge_visits = 0;
  EXPECT_EQ(explain_node(*ordered, data, 0, options).influences.size(), 1u);
  options.max_removals = 0;
  EXPECT_TRUE(explain_node(*ordered, data, 0, options).influences.empty());
}

TEST(ExplainNode, CutsMessagePassingAfterEveryHop) {
  const NodeDataset data = explained_data(random_graph(40, 160, 3));
  const auto deep = explained_model("ordered_gnn", data, explained_options(3));
  const NodeExplanation got = explain_node(*deep, data, 7);
  ASSERT_EQ(got.cuts.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(got.cuts[k].hops, static_cast<int64_t>(k));
  }
  EXPECT_EQ(got.cuts[3].predicted, got.predicted);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(got.cuts[3].probabilities[c], got.probabilities[c], 1e-6);
  }
  // The same parameters in a network of two layers.
  const auto shallow =
      explained_model("ordered_gnn", data, explained_options(2));
  const torch::NoGradGuard no_grad;
  for (auto& item : shallow->named_parameters()) {
    item.value().copy_(deep->named_parameters()[item.key()]);
  }
  const Prediction two = predict(*shallow, data);
  EXPECT_EQ(got.cuts[2].predicted, two.labels[7].item<int64_t>());
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(got.cuts[2].probabilities[static_cast<size_t>(c)],
                two.probabilities[7][c].item<float>(), 1e-5);
  }
  const auto gcn = explained_model("gcn", data, explained_options());
  EXPECT_TRUE(explain_node(*gcn, data, 7).cuts.empty());
}

TEST(ExplainNode, FollowsTheSharesIntoTheDepth) {
  const NodeDataset data = explained_data(random_graph(40, 160, 3));
  const auto model = explained_model("ordered_gnn", data, explained_options());
  set_gate_bias(*model, {0, 0, 0, 99});
  const NodeExplanation open = explain_node(*model, data, 7);
  EXPECT_NEAR(open.hop_shares[0], 1, 1e-5);
  EXPECT_EQ(open.depth, 1);
  set_gate_bias(*model, {99, 0, 0, 0});
  const NodeExplanation closed = explain_node(*model, data, 7);
  EXPECT_EQ(closed.depth, 3);
  EXPECT_EQ(closed.hop_shares.size(), 4u);
  EXPECT_GE(closed.num_candidates, open.num_candidates);
}

TEST(ExplainNode, ReadsOtherNodesFromTheTable) {
  const NodeDataset data = explained_data(random_graph(40, 160, 3));
  const auto model = explained_model("ordered_gnn", data, explained_options());
  const NodeTable table = describe_nodes(*model, data, 0);
  const NodeExplanation got = explain_node(*model, data, table, 9);
  EXPECT_EQ(got.predicted, table.predicted[9]);
  EXPECT_EQ(got.label, table.label[9]);
  EXPECT_EQ(got.degree, table.degree[9]);
  EXPECT_EQ(got.hop_shares, table.shares_of(9));
  const std::string error = error_of(
      [&] { explain_node(*model, explained_data(star(5)), table, 1); });
  EXPECT_TRUE(contains(error, "of 40 nodes, dataset explained has 5"));
}

TEST(ExplainNode, WorksForANodeThatHearsNobody) {
  for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::add}) {
    const NodeDataset data = explained_data(
        Graph::from_edges(5, {{0, 1}, {1, 2}}, {Direction::as_stored, loops}));
    for (const char* const name : {"ordered_gnn", "gcn", "mlp", "link"}) {
      const auto model = explained_model(name, data, explained_options());
      const NodeExplanation got = explain_node(*model, data, 4);
      EXPECT_EQ(got.tree.size(), 1u) << name;
      EXPECT_EQ(got.hops.size(), 1u) << name;
      EXPECT_TRUE(got.influences.empty()) << name;
      EXPECT_EQ(got.probabilities.size(), 3u) << name;
      EXPECT_TRUE(std::isnan(got.homophily)) << name;
    }
  }
}

TEST(ExplainNode, OfAModelThatHearsNobodyHasNoTree) {
  const NodeDataset data = explained_data(star(6));
  const auto model = explained_model("mlp", data, explained_options());
  const NodeExplanation got = explain_node(*model, data, 0);
  EXPECT_EQ(got.depth, 0);
  EXPECT_EQ(got.tree.size(), 1u);
  EXPECT_EQ(got.tree[0].left_out, 0);
  EXPECT_EQ(got.num_candidates, 0);
  ASSERT_EQ(got.cuts.size(), 1u);
  EXPECT_EQ(got.cuts[0].predicted, got.predicted);
}

TEST(ExplainNode, RefusesNodesAndOptionsOutOfRange) {
  const NodeDataset data = explained_data(star(6));
  const auto model = explained_model("mlp", data, explained_options());
  const auto error = [&](int64_t node,
                         const NodeExplanationOptions& options = {}) {
    return error_of([&] { explain_node(*model, data, node, options); });
  };
  EXPECT_TRUE(
      contains(error(6), "no node 6; dataset explained has nodes 0 to 5"));
  EXPECT_TRUE(contains(error(-1), "no node -1"));
  NodeExplanationOptions options;
  options.covered = NAN;
  EXPECT_TRUE(contains(error(0, options), "to cover is not in [0, 1]"));
  options = {};
  options.max_tree_nodes = 0;
  EXPECT_TRUE(contains(error(0, options), "at least 1"));
  options = {};
  options.max_removals = -1;
  EXPECT_TRUE(contains(error(0, options), "not negative"));
}

}  // namespace
}  // namespace ordered_gnn::explain
