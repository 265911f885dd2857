#include "ordered_gnn/explain/graph_explanation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explained_data.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/prediction.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn::explain {
namespace {

class ExplainGraph : public testing::Test {
 protected:
  const NodeDataset data_ = explained_data(random_graph(90, 400, 3));
  const std::shared_ptr<NodeModel> model_ =
      explained_model("ordered_gnn", data_, explained_options());
  const GraphExplanation graph_ = explain_graph(*model_, data_);
};

TEST_F(ExplainGraph, DescribesEveryLayerFromTheInputOn) {
  const Prediction kept = predict(*model_, data_, {true, true});
  ASSERT_EQ(graph_.layers.size(), 4u);
  EXPECT_FALSE(graph_.layers[0].gates.has_value());
  for (size_t k = 1; k <= 3; ++k) {
    const LayerExplanation& layer = graph_.layers[k];
    EXPECT_EQ(layer.layer, static_cast<int64_t>(k));
    EXPECT_EQ(layer.width, 12);
    ASSERT_TRUE(layer.gates.has_value());
    const LayerGates wanted = describe_gates(kept.gates[k - 1], 3);
    EXPECT_EQ(layer.gates->mean_expected_split, wanted.mean_expected_split);
    EXPECT_EQ(layer.gates->saturated, wanted.saturated);
    EXPECT_EQ(layer.gates->gates[2].tails.low, wanted.gates[2].tails.low);
  }
  const LayerSpread last = measure_spread(data_.graph, kept.embeddings);
  EXPECT_EQ(graph_.layers[3].spread.mean_distance, last.mean_distance);
}

// Means by the definition, over the nodes that `belongs` picks.
template <typename Belongs>
NodeGroup plain_group(const NodeTable& table, const Belongs& belongs) {
  NodeGroup out;
  out.hop_shares.resize(static_cast<size_t>(table.num_hops + 1));
  double hits = 0;
  for (int64_t v = 0; v < table.num_nodes(); ++v) {
    const auto at = static_cast<size_t>(v);
    if (!belongs(at)) continue;
    ++out.nodes;
    out.labelled += table.label[at] >= 0;
    hits += table.label[at] == table.predicted[at];
    const std::vector<double> shares = table.shares_of(v);
    for (size_t k = 0; k < shares.size(); ++k) out.hop_shares[k] += shares[k];
  }
  for (double& share : out.hop_shares) share /= static_cast<double>(out.nodes);
  out.accuracy = hits / static_cast<double>(out.labelled);
  return out;
}

void expect_same(const NodeGroup& got, const NodeGroup& wanted) {
  EXPECT_EQ(got.nodes, wanted.nodes) << got.name;
  EXPECT_EQ(got.labelled, wanted.labelled) << got.name;
  if (wanted.labelled > 0) {
    EXPECT_DOUBLE_EQ(got.accuracy, wanted.accuracy) << got.name;
  }
  if (wanted.nodes == 0) return;
  ASSERT_EQ(got.hop_shares.size(), wanted.hop_shares.size());
  double sum = 0;
  for (size_t k = 0; k < wanted.hop_shares.size(); ++k) {
    EXPECT_NEAR(got.hop_shares[k], wanted.hop_shares[k], 1e-9) << got.name;
    sum += got.hop_shares[k];
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_F(ExplainGraph, AveragesSharesOverGroups) {
  const NodeTable& table = graph_.nodes;
  expect_same(graph_.all, plain_group(table, [](size_t) { return true; }));
  ASSERT_EQ(graph_.by_class.size(), 3u);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(graph_.by_class[c].name, std::to_string(c));
    expect_same(graph_.by_class[c], plain_group(table, [&](size_t v) {
                  return table.label[v] == static_cast<int64_t>(c);
                }));
  }
  ASSERT_EQ(graph_.by_part.size(), 4u);
  expect_same(graph_.by_part[2], plain_group(table, [&](size_t v) {
                return table.part[v] == NodePart::test;
              }));
  EXPECT_EQ(graph_.by_part[3].nodes, 1);
}

TEST_F(ExplainGraph, AveragesOpenGatesOverGroups) {
  // A wide step along the gates, so that some are open and some are not.
  {
    const torch::NoGradGuard no_grad;
    for (auto& item : model_->named_parameters()) {
      if (contains(item.key(), "gate.bias")) item.value()[2] += 9;
    }
  }
  const GraphExplanation graph = explain_graph(*model_, data_);
  const Prediction kept = predict(*model_, data_, {true, true});
  ASSERT_EQ(graph.all.open_gates.size(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(graph.all.open_gates[k], graph.layers[k + 1].gates->saturated,
                1e-6);
    const at::Tensor open =
        kept.gates[k].gt(kSaturatedGate).to(at::kDouble).mean(1);
    for (int64_t c = 0; c < data_.num_classes; ++c) {
      EXPECT_NEAR(graph.by_class[static_cast<size_t>(c)].open_gates[k],
                  open.masked_select(data_.labels.eq(c)).mean().item<double>(),
                  1e-6);
    }
  }
  EXPECT_GT(graph.all.open_gates[0], 0.1);
  EXPECT_LT(graph.all.open_gates[0], 0.9);
}

TEST_F(ExplainGraph, BinsDegreesByPowersOfTwo) {
  const NodeTable& table = graph_.nodes;
  int64_t nodes = 0;
  for (const NodeGroup& group : graph_.by_degree) nodes += group.nodes;
  EXPECT_EQ(nodes, 90);
  ASSERT_GE(graph_.by_degree.size(), 4u);
  EXPECT_EQ(graph_.by_degree[0].name, "0");
  EXPECT_EQ(graph_.by_degree[1].name, "1");
  EXPECT_EQ(graph_.by_degree[2].name, "2-3");
  EXPECT_EQ(graph_.by_degree[3].name, "4-7");
  expect_same(graph_.by_degree[3], plain_group(table, [&](size_t v) {
                return table.degree[v] >= 4 && table.degree[v] <= 7;
              }));
  EXPECT_GT(graph_.by_degree.back().nodes, 0);
}

TEST_F(ExplainGraph, BinsHomophilyByFifths) {
  const NodeTable& table = graph_.nodes;
  ASSERT_EQ(graph_.by_homophily.size(), 6u);
  EXPECT_EQ(graph_.by_homophily[1].name, "0.2-0.4");
  const auto between = [&](double low, double high) {
    return plain_group(table, [&](size_t v) {
      return table.homophily[v] > low - 1e-4 &&
             table.homophily[v] < high - 1e-4;
    });
  };
  expect_same(graph_.by_homophily[0], between(0, 0.2));
  expect_same(graph_.by_homophily[1], between(0.2, 0.4));
  expect_same(graph_.by_homophily[4], between(0.8, 1.1));
  expect_same(graph_.by_homophily[5], plain_group(table, [&](size_t v) {
                return std::isnan(table.homophily[v]);
              }));
}

TEST_F(ExplainGraph, ScoresPartsAsTheMetricsDo) {
  const Prediction prediction = predict(*model_, data_);
  ASSERT_EQ(graph_.parts.size(), 4u);
  const Scores test =
      score_nodes(prediction.logits, data_.labels, data_.splits[0].test);
  EXPECT_DOUBLE_EQ(graph_.part("test").accuracy, test.accuracy);
  EXPECT_DOUBLE_EQ(graph_.part("test").macro_f1, test.macro_f1);
  EXPECT_EQ(graph_.all.tested, graph_.part("test").labelled);
  EXPECT_DOUBLE_EQ(graph_.all.test_accuracy, test.accuracy);
  EXPECT_DOUBLE_EQ(graph_.by_part[2].test_accuracy, test.accuracy);
  EXPECT_TRUE(std::isnan(graph_.by_part[0].test_accuracy));
  EXPECT_EQ(graph_.part("train").nodes, data_.splits[0].train.numel());
  EXPECT_EQ(graph_.part("all").nodes, 90);
  EXPECT_EQ(graph_.part("all").labelled, 72);
  EXPECT_TRUE(contains(error_of([&] { graph_.part("tst"); }), "'test'"));
}

TEST_F(ExplainGraph, ListsMistakesOfTheTestPartMostConfidentFirst) {
  const NodeTable& table = graph_.nodes;
  size_t mistakes = 0;
  for (size_t v = 0; v < table.label.size(); ++v) {
    mistakes += table.part[v] == NodePart::test && table.label[v] >= 0 &&
                table.label[v] != table.predicted[v];
  }
  ASSERT_GT(mistakes, 3u);
  ASSERT_EQ(graph_.mistakes.size(), std::min<size_t>(mistakes, 20));
  double last = 1;
  for (const ListedNode& listed : graph_.mistakes) {
    const auto v = static_cast<size_t>(listed.node);
    EXPECT_EQ(table.part[v], NodePart::test);
    EXPECT_NE(table.label[v], table.predicted[v]);
    EXPECT_EQ(static_cast<float>(listed.value), table.confidence[v]);
    EXPECT_LE(listed.value, last);
    last = listed.value;
  }
}

TEST_F(ExplainGraph, ListsTheSharesFarthestFromTheirClass) {
  const NodeTable& table = graph_.nodes;
  double farthest = 0;
  int64_t node = -1;
  for (int64_t v = 0; v < 90; ++v) {
    const NodeGroup group = plain_group(table, [&](size_t u) {
      return table.predicted[u] == table.predicted[static_cast<size_t>(v)];
    });
    const std::vector<double> shares = table.shares_of(v);
    double distance = 0;
    for (size_t k = 0; k < shares.size(); ++k) {
      distance += std::fabs(shares[k] - group.hop_shares[k]) / 2;
    }
    if (distance > farthest) {
      farthest = distance;
      node = v;
    }
  }
  ASSERT_EQ(graph_.unusual.size(), 20u);
  EXPECT_EQ(graph_.unusual[0].node, node);
  EXPECT_NEAR(graph_.unusual[0].value, farthest, 1e-9);
  EXPECT_GE(graph_.unusual[0].value, graph_.unusual[1].value);
}

TEST_F(ExplainGraph, TakesTheListsLengthsAndNoSplit) {
  GraphExplanationOptions options;
  options.split = -1;
  options.mistakes = 2;
  options.unusual = 0;
  const GraphExplanation whole = explain_graph(*model_, data_, options);
  EXPECT_EQ(whole.mistakes.size(), 2u);
  EXPECT_TRUE(whole.unusual.empty());
  EXPECT_TRUE(whole.by_part.empty());
  ASSERT_EQ(whole.parts.size(), 1u);
  EXPECT_EQ(whole.parts[0].name, "all");
  options.mistakes = -1;
  EXPECT_TRUE(
      contains(error_of([&] { explain_graph(*model_, data_, options); }),
               "-1 mistakes"));
  options.mistakes = 1;
  options.split = 4;
  EXPECT_TRUE(contains(
      error_of([&] { explain_graph(*model_, data_, options); }), "no split 4"));
}

TEST(ExplainAnyModel, LeavesOutWhatDoesNotApply) {
  NodeDataset data = explained_data(random_graph(30, 100, 3));
  data.splits.clear();
  data.class_names = {"a", "b", "c"};
  for (const ModelCase& wanted : model_cases()) {
    const auto model = explained_model(wanted.model, data, wanted.options);
    if (model->told_labels()) {
      // What it says depends on labels, and no split says which.
      EXPECT_TRUE(contains(error_of([&] { explain_graph(*model, data); }),
                           "labels of training nodes"))
          << wanted.name;
      continue;
    }
    const GraphExplanation graph = explain_graph(*model, data);
    const bool has_shares = graph.nodes.has_shares();
    EXPECT_EQ(graph.all.hop_shares.empty(), !has_shares) << wanted.name;
    EXPECT_EQ(graph.layers.empty(), graph.nodes.num_hops < 0) << wanted.name;
    EXPECT_EQ(graph.by_class[1].name, "b");
    EXPECT_EQ(graph.parts.size(), 1u);
    EXPECT_TRUE(graph.by_part.empty());
    EXPECT_EQ(graph.by_homophily.size(), 6u);
  }
}

TEST(ExplainAnyModel, NamesTheLayerOfWhatIsNotFinite) {
  const NodeDataset data = explained_data(star(9));
  const auto model = explained_model("ordered_gnn", data, explained_options());
  {
    const torch::NoGradGuard no_grad;
    model->named_parameters()["layers.1.norm.bias"][3] = NAN;
  }
  EXPECT_TRUE(contains(error_of([&] { explain_graph(*model, data); }),
                       "layer 2: the state of node 0 is not finite"));
}

TEST(ExplainAnyModel, WorksWithoutLabelsAndWithoutEdges) {
  NodeDataset data = explained_data(no_edges(7));
  data.labels.fill_(-1);
  const auto model = explained_model("ordered_gnn", data, explained_options());
  const GraphExplanation graph = explain_graph(*model, data);
  EXPECT_TRUE(std::isnan(graph.part("test").accuracy));
  EXPECT_TRUE(graph.mistakes.empty());
  EXPECT_EQ(graph.by_degree.size(), 1u);
  EXPECT_EQ(graph.by_class[0].nodes, 0);
  EXPECT_TRUE(graph.by_class[0].hop_shares.empty());
  EXPECT_TRUE(std::isnan(graph.layers[0].spread.dirichlet_energy));
}

}  // namespace
}  // namespace ordered_gnn::explain
