#include "ordered_gnn/explain/attribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "explained_data.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/train/prediction.h"
#include "sum_model.h"
#include "support/errors.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn::explain {
namespace {

// 2 -> 1, a loop on 1 and a node on its own; two classes.
NodeDataset three_nodes(const at::Tensor& values) {
  NodeDataset data = explained_data(Graph::from_edges(3, {{2, 1}, {1, 1}}));
  data.features = NodeFeatures::dense(values);
  data.labels = torch::tensor({0, 1, 0}, at::kLong);
  data.num_classes = 2;
  return data;
}

NodeAttribution attributed(NodeModel& model, const NodeDataset& data,
                           int64_t node,
                           const AttributionOptions& options = {}) {
  return attribute_node(model, data, describe_nodes(model, data, 0), node,
                        options);
}

std::map<int64_t, AttributeContribution> by_attribute(
    const NodeAttribution& got) {
  std::map<int64_t, AttributeContribution> out;
  for (const AttributeContribution& one : got.attributes) {
    out[one.attribute] = one;
  }
  return out;
}

TEST(Attribution, OfALinearModelIsWeightTimesDifference) {
  const at::Tensor values =
      torch::tensor({{1.f, 0.f, 2.f}, {4.f, 0.f, -1.f}, {1.f, 3.f, 2.f}});
  const NodeDataset data = three_nodes(values);
  SumModel model(torch::tensor({{1.f, 0.f, 0.5f}, {0.25f, -1.f, 0.f}}));
  // Baseline: the means 2, 1, 1. Sums at node 1: class 0 has 5 + 0.5, class 1
  // has 1.25 - 3, so class 0 is ahead by 7.25; weights differ by 0.75, 1, 0.5.
  const NodeAttribution got = attributed(model, data, 1);
  EXPECT_EQ(got.why_none, "");
  EXPECT_EQ(got.predicted, 0);
  EXPECT_NEAR(got.log_odds, 7.25, 1e-5);
  EXPECT_NEAR(got.baseline_log_odds, 2 * (1.5 + 1 + 0.5), 1e-5);
  EXPECT_NEAR(got.probability, 1 / (1 + std::exp(-7.25)), 1e-7);
  EXPECT_EQ(got.steps, 9);
  EXPECT_NEAR(got.residual, 0, 1e-5);
  auto sums = by_attribute(got);
  EXPECT_NEAR(sums.at(0).own, 0.75 * (4 - 2), 1e-5);
  EXPECT_NEAR(sums.at(0).others, 0.75 * (1 - 2), 1e-5);
  EXPECT_NEAR(sums.at(1).own, 1.0 * (0 - 1), 1e-5);
  EXPECT_NEAR(sums.at(1).others, 1.0 * (3 - 1), 1e-5);
  EXPECT_NEAR(sums.at(2).own, 0.5 * (-1 - 1), 1e-5);
  EXPECT_NEAR(sums.at(2).others, 0.5 * (2 - 1), 1e-5);
  EXPECT_EQ(got.attributes[0].attribute, 0) << "the largest comes first";
  EXPECT_EQ(got.attributes[0].value, "4");
  ASSERT_EQ(got.neighbours.size(), 1u);
  EXPECT_EQ(got.neighbours[0].node, 2);
  EXPECT_EQ(got.neighbours[0].distance, 1);
  EXPECT_NEAR(got.neighbours[0].contribution, -0.75 + 2 + 0.5, 1e-5);
  EXPECT_NEAR(got.own_share, 3.5 / 6.75, 1e-5);
}

TEST(Attribution, OfSparseFeaturesStartsFromZero) {
  const at::Tensor values =
      torch::tensor({{1.f, 0.f, 2.f}, {4.f, 0.f, 1.f}, {1.f, 3.f, 2.f}});
  NodeDataset data = three_nodes(values);
  data.features = sparse_from(values);
  SumModel model(torch::tensor({{1.f, 0.f, 0.5f}, {0.25f, -1.f, 0.f}}));
  const NodeAttribution got = attributed(model, data, 1);
  EXPECT_NEAR(got.baseline_log_odds, 0, 1e-6);
  EXPECT_NEAR(got.residual, 0, 1e-5);
  auto sums = by_attribute(got);
  EXPECT_NEAR(sums.at(0).own, 3, 1e-5);
  EXPECT_NEAR(sums.at(1).own, 0, 0);
  EXPECT_NEAR(sums.at(1).others, 3, 1e-5);
  EXPECT_NEAR(sums.at(2).own, 0.5, 1e-5);
  // The attribute that the node does not have was not taken out.
  EXPECT_FALSE(sums.at(1).removal.has_value());
  EXPECT_TRUE(sums.at(0).removal.has_value());
}

TEST(Attribution, ColumnsAreTheSumsOfTheirFeatures) {
  NodeDataset data = explained_data(random_graph(40, 120, 3));
  const auto model = explained_model("ordered_gnn", data, explained_options(2));
  const auto single = by_attribute(attributed(*model, data, 7));
  Column first, second;
  first.name = "size";
  second.name = "colour";
  second.kind = ColumnKind::category;
  second.categories = {"blue", "green", "red"};
  second.has_other = true;
  second.first_feature = first.num_features = 1;
  second.num_features = 4;
  data.columns = {first, second};
  const NodeAttribution got = attributed(*model, data, 7);
  const auto grouped = by_attribute(got);
  ASSERT_EQ(grouped.size(), 2u);
  EXPECT_DOUBLE_EQ(grouped.at(0).own, single.at(0).own);
  double own = 0, others = 0;
  for (int64_t f = 1; f < 5; ++f) {
    own += single.at(f).own;
    others += single.at(f).others;
  }
  EXPECT_NEAR(grouped.at(1).own, own, 1e-12);
  EXPECT_NEAR(grouped.at(1).others, others, 1e-12);
  EXPECT_NEAR(got.own_total + got.others_total - got.residual,
              got.log_odds - got.baseline_log_odds, 1e-9);
}

class AttributionOfModels : public testing::TestWithParam<ModelCase> {};

// Biases start at 0, where models that normalise rows are not continuous in a
// baseline of zeros; training moves them.
void move_biases(NodeModel& model) {
  const torch::NoGradGuard no_grad;
  uint64_t seed = 70;
  for (at::Tensor& parameter : model.parameters()) {
    if (parameter.dim() != 1) continue;
    parameter += random_tensor(parameter.sizes(), at::kFloat, ++seed) * 0.3;
  }
}

// The sum of all contributions is the difference of the log-odds.
TEST_P(AttributionOfModels, IsComplete) {
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < 60; ++v) {
    edges.emplace_back(v, (v + 1) % 60);
    edges.emplace_back(v, (v * 7 + 3) % 60);
  }
  NodeDataset data = explained_data(
      Graph::from_edges(60, edges, {Direction::undirected, SelfLoops::add}));
  const at::Tensor values = data.features.dense_values();
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values),
        sparse_from(values.where(values.abs() < 0.6, torch::zeros({})))}) {
    data.features = features;
    const auto model =
        explained_model(GetParam().model, data, GetParam().options);
    move_biases(*model);
    const NodeAttribution got = attributed(*model, data, 3);
    if (GetParam().model == "link" || GetParam().model == "label_propagation") {
      EXPECT_TRUE(contains(got.why_none, "does not read")) << got.why_none;
      continue;
    }
    EXPECT_EQ(got.why_none, "");
    const double difference = got.log_odds - got.baseline_log_odds;
    EXPECT_LE(std::fabs(got.residual),
              0.01 * std::max(1.0, std::fabs(difference)))
        << got.steps << " steps, difference " << difference;
    double sum = got.own_total + got.others_total;
    EXPECT_NEAR(sum, difference + got.residual, 1e-6);
    double own = 0, nodes = 0;
    for (const AttributeContribution& one : got.attributes) own += one.own;
    for (const NodeContribution& one : got.neighbours) {
      nodes += one.contribution;
    }
    EXPECT_NEAR(own, got.own_total, 1e-9);
    if (got.num_neighbours <= 20) {
      EXPECT_NEAR(nodes, got.others_total, 1e-9);
    }
    EXPECT_GT(std::fabs(got.own_total), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AttributionOfModels,
                         testing::ValuesIn(model_cases()),
                         [](const testing::TestParamInfo<ModelCase>& info) {
                           return info.param.name;
                         });

// Rows with one attribute of one node as the baseline has it.
NodeFeatures plainly_without(const NodeDataset& data, int64_t node,
                             int64_t feature) {
  const at::Tensor values = data.features.to_dense();
  const bool is_dense = data.features.kind() == NodeFeatures::Kind::dense;
  values[node][feature] = is_dense ? values.mean(0)[feature].item<float>() : 0;
  return is_dense ? NodeFeatures::dense(values) : sparse_from(values);
}

TEST(Attribution, ARemovalEqualsARunWithTheBaselineValue) {
  NodeDataset data = explained_data(random_graph(40, 120, 3));
  const NodeFeatures dense = data.features;
  for (const NodeFeatures& features :
       {dense, sparse_from(dense.dense_values())}) {
    data.features = features;
    const auto model =
        explained_model("ordered_gnn", data, explained_options(2));
    AttributionOptions options;
    options.max_removals = 3;
    const NodeAttribution got = attributed(*model, data, 7, options);
    int removals = 0;
    for (const AttributeContribution& one : got.attributes) {
      if (!one.removal) continue;
      ++removals;
      NodeDataset changed = data;
      changed.features = plainly_without(data, 7, one.attribute);
      const Prediction then = predict(*model, changed);
      EXPECT_NEAR(one.removal->change + got.probability,
                  then.probabilities[7][got.predicted].item<double>(), 1e-5);
      EXPECT_EQ(one.removal->predicted, then.labels[7].item<int64_t>());
    }
    EXPECT_EQ(removals, 3);
  }
}

TEST(Attribution, IsTheSameBitsForAnyNumberOfThreads) {
  const NodeDataset data = explained_data(random_graph(300, 2000, 3));
  const auto model = explained_model("ordered_gnn", data, explained_options());
  const int threads = num_threads();
  set_num_threads(1);
  const NodeAttribution one = attributed(*model, data, 7);
  set_num_threads(3);
  const NodeAttribution three = attributed(*model, data, 7);
  set_num_threads(threads);
  EXPECT_EQ(one.residual, three.residual);
  ASSERT_EQ(one.attributes.size(), three.attributes.size());
  for (size_t i = 0; i < one.attributes.size(); ++i) {
    EXPECT_EQ(one.attributes[i].own, three.attributes[i].own);
    EXPECT_EQ(one.attributes[i].others, three.attributes[i].others);
  }
}

TEST(Attribution, LeavesTheModelAsItWas) {
  const NodeDataset data = explained_data(random_graph(40, 120, 3));
  const auto model = explained_model("gcn", data, explained_options());
  attributed(*model, data, 7);
  for (const at::Tensor& parameter : model->parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
    EXPECT_TRUE(parameter.requires_grad());
  }
}

TEST(Attribution, SaysWhyThereIsNone) {
  NodeDataset data = explained_data(star(6));
  data.features = NodeFeatures::identity(6);
  const auto model = explained_model("gcn", data, explained_options());
  const NodeAttribution got = attributed(*model, data, 2);
  EXPECT_TRUE(contains(got.why_none, "ids of its nodes"));
  EXPECT_EQ(got.node, 2);
  EXPECT_TRUE(got.attributes.empty());
}

TEST(Attribution, RefusesNodesAndOptionsOutOfRange) {
  const NodeDataset data = explained_data(star(6));
  const auto model = explained_model("mlp", data, explained_options());
  const NodeTable table = describe_nodes(*model, data, 0);
  const auto error = [&](int64_t node, const AttributionOptions& options = {}) {
    return error_of(
        [&] { attribute_node(*model, data, table, node, options); });
  };
  EXPECT_TRUE(contains(error(6), "has nodes 0 to 5"));
  EXPECT_TRUE(contains(error(-1), "no node -1"));
  AttributionOptions options;
  options.min_steps = 0;
  EXPECT_TRUE(contains(error(0, options), "1 step or more"));
  options = {};
  options.tolerance = NAN;
  EXPECT_TRUE(contains(error(0, options), "1 step or more"));
  const NodeDataset other = explained_data(star(7));
  EXPECT_TRUE(
      contains(error_of([&] { attribute_node(*model, other, table, 0); }),
               "the table is of 6 nodes"));
}

}  // namespace
}  // namespace ordered_gnn::explain
