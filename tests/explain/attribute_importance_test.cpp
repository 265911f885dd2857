#include "ordered_gnn/explain/attribute_importance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/shuffled_features.h"
#include "explained_data.h"
#include "ordered_gnn/core/parallel.h"
#include "sum_model.h"
#include "support/errors.h"
#include "support/features.h"
#include "support/graphs.h"

namespace ordered_gnn::explain {
namespace {

constexpr int64_t kNodes = 200;

// Loops alone. Labels follow from features 2 and 3 together, which are one
// column; the others are noise of the same size.
NodeDataset planted_data() {
  std::vector<std::pair<int64_t, int64_t>> loops;
  for (int64_t v = 0; v < kNodes; ++v) loops.emplace_back(v, v);
  NodeDataset data = explained_data(Graph::from_edges(kNodes, loops));
  const at::Tensor values = random_tensor({kNodes, 6}, at::kFloat, 3);
  data.features = NodeFeatures::dense(values);
  data.num_classes = 2;
  data.labels = (values.select(1, 2) + values.select(1, 3)).gt(0).to(at::kLong);
  data.feature_names = {"a", "b", "c", "d", "e", "f"};
  return data;
}

// Reads features 2, 3 and, faintly, the first.
SumModel planted_model() {
  return SumModel(torch::tensor(
      {{0.f, 0.f, 0.f, 0.f, 0.f, 0.f}, {1e-3f, 0.f, 1.f, 1.f, 0.f, 0.f}}));
}

ImportanceReport importance(NodeModel& model, const NodeDataset& data,
                            const ImportanceOptions& options = {},
                            int64_t split = 0) {
  return attribute_importance(model, data, describe_nodes(model, data, split),
                              options);
}

TEST(AttributeImportance, FindsThePlantedColumn) {
  NodeDataset data = planted_data();
  SumModel model = planted_model();
  const ImportanceReport got = importance(model, data);
  EXPECT_EQ(got.why_none, "");
  EXPECT_EQ(got.part, "test");
  EXPECT_EQ(got.num_attributes, 6);
  EXPECT_EQ(got.repeats, 5);
  EXPECT_GT(got.score, 0.98);
  ASSERT_EQ(got.attributes.size(), 6u);
  EXPECT_TRUE(got.attributes[0].name == "c" || got.attributes[0].name == "d");
  EXPECT_GT(got.attributes[1].drop, 0.1);
  EXPECT_GT(got.attributes[1].standard_error, 0);
  for (size_t i = 2; i < 6; ++i) {
    EXPECT_NEAR(got.attributes[i].drop, 0, 0.01) << got.attributes[i].name;
  }
  // Both features as one column: shuffled together they leave nothing but luck.
  Column first, second, third;
  first.num_features = second.num_features = third.num_features = 2;
  second.name = "planted";
  second.first_feature = 2;
  third.first_feature = 4;
  data.columns = {first, second, third};
  const ImportanceReport grouped = importance(model, data);
  EXPECT_EQ(grouped.attributes[0].name, "planted");
  EXPECT_NEAR(grouped.attributes[0].drop, 0.5, 0.1);
}

TEST(AttributeImportance, OfManyAttributesTriesThoseThatMatter) {
  const NodeDataset data = planted_data();
  SumModel model = planted_model();
  ImportanceOptions options;
  options.max_attributes = 3;
  const ImportanceReport all = importance(model, data);
  const ImportanceReport got = importance(model, data, options);
  ASSERT_EQ(got.attributes.size(), 3u);
  EXPECT_EQ(got.num_attributes, 6);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(got.attributes[i].name, all.attributes[i].name);
    // What else is tried does not change what comes out.
    EXPECT_EQ(got.attributes[i].drop, all.attributes[i].drop);
  }
  EXPECT_EQ(got.attributes[2].name, "a");
  // Never fewer than five for lack of time.
  options.max_attributes = 30;
  options.max_visits = 0;
  EXPECT_EQ(importance(model, data, options).attributes.size(), 5u);
}

TEST(AttributeImportance, IsFixedByTheSeedWhateverKindAndThreads) {
  NodeDataset data = planted_data();
  SumModel model = planted_model();
  const ImportanceReport one = importance(model, data);
  const int threads = num_threads();
  set_num_threads(3);
  data.features = sparse_from(data.features.dense_values());
  const ImportanceReport other = importance(model, data);
  set_num_threads(threads);
  ASSERT_EQ(one.attributes.size(), other.attributes.size());
  for (size_t i = 0; i < one.attributes.size(); ++i) {
    EXPECT_EQ(one.attributes[i].drop, other.attributes[i].drop);
  }
  ImportanceOptions options;
  options.seed = 1;
  EXPECT_NE(importance(model, data, options).attributes[0].drop,
            one.attributes[0].drop);
  options.repeats = 1;
  EXPECT_TRUE(std::isnan(
      importance(model, data, options).attributes[0].standard_error));
}

TEST(AttributeImportance, ScoresOnWhatHasLabels) {
  NodeDataset data = planted_data();
  SumModel model = planted_model();
  data.splits[0].test = torch::empty({0}, at::kLong);
  EXPECT_EQ(importance(model, data).part, "val");
  data.splits[0].val = torch::empty({0}, at::kLong);
  const ImportanceReport all = importance(model, data);
  EXPECT_EQ(all.part, "all");
  EXPECT_EQ(all.nodes, kNodes);
  EXPECT_EQ(importance(model, data, {}, -1).part, "all");
  ImportanceOptions options;
  options.metric = Metric::roc_auc;
  EXPECT_EQ(importance(model, data, options).metric, Metric::roc_auc);
  data.labels.fill_(1);  // one class alone: there is no area under a curve
  EXPECT_EQ(importance(model, data, options).metric, Metric::accuracy);
  data.labels.fill_(-1);
  EXPECT_TRUE(contains(importance(model, data).why_none, "no labels"));
}

TEST(AttributeImportance, SaysWhyThereIsNoneAndRefusesBadOptions) {
  NodeDataset data = planted_data();
  const auto link = explained_model("link", data, explained_options());
  EXPECT_TRUE(contains(importance(*link, data).why_none, "does not read"));
  SumModel model = planted_model();
  ImportanceOptions options;
  options.repeats = 0;
  EXPECT_TRUE(contains(error_of([&] { importance(model, data, options); }),
                       "1 repeat"));
  data.features = NodeFeatures::identity(kNodes);
  const auto gcn = explained_model("gcn", data, explained_options());
  EXPECT_TRUE(contains(importance(*gcn, data).why_none, "ids of its nodes"));
}

TEST(ShuffledFeatures, MoveTheAttributeAlone) {
  const at::Tensor values = torch::tensor(
      {{1.f, 2.f, 0.f, 4.f}, {0.f, 6.f, 7.f, 0.f}, {9.f, 0.f, 0.f, 12.f}});
  const at::Tensor order = torch::tensor({2, 0, 1}, at::kLong);
  const at::Tensor expected = torch::tensor(
      {{1.f, 0.f, 0.f, 4.f}, {0.f, 2.f, 0.f, 0.f}, {9.f, 6.f, 7.f, 12.f}});
  const Attribute attribute{"middle", 1, 2, -1};
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    const NodeFeatures got = shuffled_features(features, attribute, order);
    EXPECT_EQ(got.kind(), features.kind());
    EXPECT_TRUE(torch::equal(got.to_dense(), expected));
    EXPECT_TRUE(torch::equal(features.to_dense(), values));
  }
}

}  // namespace
}  // namespace ordered_gnn::explain
