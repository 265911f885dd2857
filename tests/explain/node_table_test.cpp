#include "ordered_gnn/explain/node_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "explained_data.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "ordered_gnn/train/prediction.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn::explain {
namespace {

TEST(DescribeNodes, AgreesWithThePredictionOfEveryModel) {
  const NodeDataset data = explained_data(random_graph(40, 120, 3));
  for (const ModelCase& wanted : model_cases()) {
    const auto model = explained_model(wanted.model, data, wanted.options);
    const Prediction prediction = predict(*model, data);
    const NodeTable table = describe_nodes(*model, data, 0);
    ASSERT_EQ(table.num_nodes(), 40);
    EXPECT_EQ(table.num_classes, kExplainedClasses);
    for (int64_t v = 0; v < 40; ++v) {
      const auto at = static_cast<size_t>(v);
      EXPECT_EQ(table.predicted[at], prediction.labels[v].item<int64_t>());
      EXPECT_NEAR(table.confidence[at],
                  prediction.probabilities[v].max().item<float>(), 1e-6)
          << wanted.name;
    }
  }
}

TEST(DescribeNodes, KnowsNeighboursLabelsAndParts) {
  // Labels 0, 1, 2, 0, none, 2, 0; node 3 hears 0, 1, 4 and itself.
  const Graph graph = Graph::from_edges(
      7, {{0, 3}, {1, 3}, {4, 3}, {3, 3}, {4, 5}, {0, 4}, {5, 5}});
  NodeDataset data = explained_data(graph);
  const auto model = explained_model("mlp", data, explained_options());
  const NodeTable table = describe_nodes(*model, data, 0);
  EXPECT_EQ(table.label, (std::vector<int64_t>{0, 1, 2, 0, -1, 2, 0}));
  EXPECT_EQ(table.degree, (std::vector<int64_t>{0, 0, 0, 3, 1, 1, 0}));
  EXPECT_EQ(table.homophily[3], 0.5f);
  EXPECT_TRUE(std::isnan(table.homophily[0]));  // no neighbour
  EXPECT_TRUE(std::isnan(table.homophily[4]));  // no label
  EXPECT_TRUE(std::isnan(table.homophily[5]));  // no labelled neighbour
  const std::vector<NodePart> parts = {
      NodePart::train, NodePart::val,  NodePart::test, NodePart::train,
      NodePart::val,   NodePart::test, NodePart::none};
  EXPECT_EQ(table.part, parts);
  for (const NodePart part : describe_nodes(*model, data).part) {
    EXPECT_EQ(part, NodePart::none);
  }
}

TEST(DescribeNodes, AHeardFirstStateIsOfTheFirstHop) {
  const NodeDataset data = explained_data(random_graph(50, 150, 3));
  ModelOptions options = explained_options();
  options.first_state = FirstState::heard;
  const auto model = explained_model("ordered_gnn", data, options);
  const NodeTable table = describe_nodes(*model, data, 0);
  EXPECT_EQ(table.num_hops, options.layers + 1);
  for (int64_t v = 0; v < 50; ++v) {
    const std::vector<double> shares = table.shares_of(v);
    ASSERT_EQ(static_cast<int64_t>(shares.size()), options.layers + 2);
    EXPECT_EQ(shares[0], 0);
    EXPECT_GT(shares[1], 0);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-6);
  }
}

// Gates of ordered gating may close again, so that shares of the halves are not
// those of all gates together.
TEST(DescribeNodes, SharesOfTwoDirectionsAreTheirMean) {
  const NodeDataset data = explained_data(random_graph(50, 150, 3));
  ModelOptions options = explained_options();
  options.gating = Gating::ordered;
  options.directions = Directions::split;
  const auto model = explained_model("ordered_gnn", data, options);
  PredictionOptions wanted;
  wanted.gates = true;
  const Prediction prediction = predict(*model, data, wanted);
  std::vector<at::Tensor> shares;
  for (size_t half = 0; half < 2; ++half) {
    std::vector<at::Tensor> splits;
    for (const at::Tensor& gate : prediction.gates) {
      splits.push_back(
          expected_splits(gate.chunk(2, 1)[half].contiguous(), options.chunk));
    }
    shares.push_back(hop_shares(splits, options.hidden / 2));
  }
  const at::Tensor mean = (shares[0] + shares[1]) / 2;
  const NodeTable table = describe_nodes(*model, data, 0);
  for (int64_t v = 0; v < data.num_nodes(); ++v) {
    const std::vector<double> got = table.shares_of(v);
    ASSERT_EQ(got.size(), 4u);
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_NEAR(got[k], mean[v][static_cast<int64_t>(k)].item<double>(),
                  1e-6);
    }
  }
}

TEST(DescribeNodes, StreamsTheSharesOfKeptGates) {
  const NodeDataset data = explained_data(random_graph(50, 150, 3));
  for (const Gating gating :
       {Gating::simple, Gating::ordered, Gating::softor}) {
    ModelOptions options = explained_options();
    options.gating = gating;
    const auto model = explained_model("ordered_gnn", data, options);
    const Prediction prediction = predict(*model, data, {false, true});
    std::vector<at::Tensor> splits;
    for (const at::Tensor& gate : prediction.gates) {
      splits.push_back(expected_splits(gate, options.chunk));
    }
    const at::Tensor wanted = hop_shares(splits, options.hidden);
    const NodeTable table = describe_nodes(*model, data);
    EXPECT_EQ(table.num_hops, 3);
    EXPECT_EQ(table.share_source, HopShareSource::gates);
    ASSERT_EQ(table.hop_shares.size(), 50u * 4u);
    for (int64_t v = 0; v < 50; ++v) {
      const std::vector<double> shares = table.shares_of(v);
      for (int64_t k = 0; k <= 3; ++k) {
        EXPECT_NEAR(shares[static_cast<size_t>(k)], wanted[v][k].item<double>(),
                    1e-6);
      }
    }
  }
}

// The first gate of an ordered layer is always open: closed as far as can be,
// a layer leaves the first chunk of neurons to the node.
TEST(DescribeNodes, OpenGatesGiveTheNodeAllAndClosedOnesTheLastHop) {
  const NodeDataset data = explained_data(star(8));
  const auto shares = [&](Gating gating, const std::vector<float>& bias) {
    ModelOptions options = explained_options();  // 4 gates of 3 neurons
    options.gating = gating;
    const auto model = explained_model("ordered_gnn", data, options);
    set_gate_bias(*model, bias);
    return describe_nodes(*model, data).shares_of(5);
  };
  const auto near = [](const std::vector<double>& got,
                       const std::vector<double>& wanted) {
    for (size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_NEAR(got[k], wanted[k], 1e-5) << k;
    }
  };
  near(shares(Gating::softor, {0, 0, 0, 99}), {1, 0, 0, 0});
  near(shares(Gating::softor, {99, 0, 0, 0}), {0.25, 0, 0, 0.75});
  near(shares(Gating::softor, {0, 99, 0, 0}), {0.5, 0, 0, 0.5});
  near(shares(Gating::simple, {99, 99, 99, 99}), {1, 0, 0, 0});
  near(shares(Gating::simple, {-99, -99, -99, -99}), {0, 0, 0, 1});
}

TEST(DescribeNodes, SaysWhereSharesComeFrom) {
  const NodeDataset data = explained_data(star(6));
  const auto table = [&](const std::string& name) {
    return describe_nodes(*explained_model(name, data, explained_options()),
                          data);
  };
  const NodeTable bare = table("bare_gnn");
  EXPECT_EQ(bare.share_source, HopShareSource::last_hop);
  EXPECT_EQ(bare.shares_of(2), (std::vector<double>{0, 0, 0, 1}));
  const NodeTable mlp = table("mlp");
  EXPECT_EQ(mlp.share_source, HopShareSource::none);
  EXPECT_EQ(mlp.num_hops, 0);
  EXPECT_TRUE(mlp.shares_of(2).empty());
  EXPECT_EQ(table("gcn").num_hops, 3);
  EXPECT_FALSE(table("gcn").has_shares());
  EXPECT_EQ(table("link").num_hops, -1);
}

TEST(DescribeNodes, WorksForOneNodeWithoutEdges) {
  NodeDataset data = explained_data(one_node());
  const auto model = explained_model("ordered_gnn", data, explained_options());
  const NodeTable table = describe_nodes(*model, data);
  EXPECT_EQ(table.degree, (std::vector<int64_t>{0}));
  EXPECT_EQ(table.shares_of(0).size(), 4u);
}

TEST(DescribeNodes, RefusesAMissingSplitAndLogitsThatAreNotFinite) {
  const NodeDataset data = explained_data(star(6));
  const auto model = explained_model("mlp", data, explained_options());
  const auto error = [&](int64_t split) {
    return error_of([&] { describe_nodes(*model, data, split); });
  };
  EXPECT_TRUE(contains(error(1), "has 1 splits, there is no split 1"));
  EXPECT_TRUE(contains(error(-2), "no split -2"));
  {
    const torch::NoGradGuard no_grad;
    model->named_parameters()["output.bias"].fill_(NAN);
  }
  EXPECT_TRUE(contains(error(0), "logits of node 0 are not finite"));
}

}  // namespace
}  // namespace ordered_gnn::explain
