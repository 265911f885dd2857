#include "ordered_gnn/data/make_dataset.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/error.h"
#include "support/errors.h"

namespace ordered_gnn::data {
namespace {

// Two triangles that node 2 joins to node 3; class 0 and class 1.
class MakeDataset : public testing::Test {
 protected:
  std::string refused(const at::Tensor& edges, const at::Tensor& features,
                      const at::Tensor& labels,
                      const ArrayOptions& options = {}) {
    return error_of([&] { make_dataset(edges, features, labels, options); });
  }

  at::Tensor edges_ = torch::tensor(
      {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}}, torch::kLong);
  at::Tensor features_ = torch::eye(6, torch::kFloat);
  at::Tensor labels_ = torch::tensor({0, 0, 0, 1, 1, -1}, torch::kLong);
};

TEST_F(MakeDataset, MessagesGoFromTheFirstNodeOfAnEdgeToTheSecond) {
  ArrayOptions options;
  options.treatment.self_loops = SelfLoops::remove;
  const NodeDataset data = make_dataset(edges_, features_, labels_, options);
  EXPECT_EQ(data.num_nodes(), 6);
  EXPECT_EQ(data.num_classes, 2);
  EXPECT_EQ(data.graph.num_edges(), 7);
  const at::Tensor rowptr = data.graph.in().rowptr;
  EXPECT_EQ((rowptr[4] - rowptr[3]).item<int64_t>(), 2);  // from 2 and 5
  EXPECT_EQ(data.treatment.direction, Direction::as_stored);
  EXPECT_EQ(data.provenance.format, "arrays");
  EXPECT_TRUE(torch::equal(data.labels, labels_));
}

TEST_F(MakeDataset, UndirectedEdgesAreReadBothWays) {
  ArrayOptions options;
  options.undirected = true;
  options.treatment.self_loops = SelfLoops::remove;
  const NodeDataset data = make_dataset(edges_, features_, labels_, options);
  EXPECT_EQ(data.graph.num_edges(), 14);
  EXPECT_EQ(data.treatment.direction, Direction::undirected);
}

TEST_F(MakeDataset, DrawsSplitsOfTheLabelledNodesAndSaysSo) {
  const at::Tensor many = torch::arange(60, torch::kLong).remainder(3);
  const NodeDataset data =
      make_dataset(edges_, torch::rand({60, 4}, torch::kFloat), many);
  ASSERT_EQ(data.splits.size(), 10u);
  EXPECT_EQ(data.splits[0].train.numel(), 36);
  EXPECT_EQ(data.splits[0].test.numel(), 12);
  bool said = false;
  for (const std::string& note : data.provenance.notes) {
    said = said || contains(note, "stratified:60/20/20x10");
  }
  EXPECT_TRUE(said);
}

TEST_F(MakeDataset, TooFewLabelsForSplitsAreNoted) {
  const at::Tensor one = torch::tensor({0, -1, -1, -1, -1, -1}, torch::kLong);
  const NodeDataset data = make_dataset(edges_, features_, one);
  EXPECT_TRUE(data.splits.empty());
  EXPECT_TRUE(contains(data.provenance.notes.front(), "no splits were drawn"));
  ArrayOptions asked;
  asked.split_set = "random:60/20/20";
  EXPECT_NE(refused(edges_, features_, one, asked), "");
}

TEST_F(MakeDataset, WithoutLabelsThereIsNothingToSplit) {
  const NodeDataset data = make_dataset(edges_, features_);
  EXPECT_EQ(data.num_classes, 0);
  EXPECT_TRUE(torch::equal(data.labels, torch::full({6}, -1, torch::kLong)));
  EXPECT_TRUE(data.splits.empty());
}

TEST_F(MakeDataset, TheFingerprintIsOfTheContent) {
  const auto print = [&](const at::Tensor& features, const at::Tensor& labels) {
    return make_dataset(edges_, features, labels).provenance.fingerprint;
  };
  const std::string base = print(features_, labels_);
  EXPECT_EQ(base.size(), 64u);
  EXPECT_EQ(print(features_.clone(), labels_.clone()), base);
  EXPECT_NE(print(features_ * 2, labels_), base);
  at::Tensor other = labels_.clone();
  other[0] = 1;
  EXPECT_NE(print(features_, other), base);
}

TEST_F(MakeDataset, WrongTensorsAreRefusedWithTheNameOfTheArgument) {
  EXPECT_TRUE(contains(refused(edges_.to(torch::kInt), features_, labels_),
                       "edges must be [E, 2] Long on cpu, got [7, 2] Int"));
  EXPECT_TRUE(contains(refused(edges_.t(), features_, labels_),
                       "got [2, 7] Long on cpu; give edges.t()"));
  EXPECT_TRUE(contains(refused({}, features_, labels_), "got no tensor"));
  EXPECT_TRUE(
      contains(refused(edges_, features_.to(torch::kDouble), labels_),
               "features must be [N, F] Float on cpu, got [6, 6] Double"));
  EXPECT_TRUE(contains(refused(edges_, features_.flatten(), labels_),
                       "got [36] Float"));
  EXPECT_TRUE(contains(refused(edges_, features_, labels_.slice(0, 0, 5)),
                       "labels must be [6] Long on cpu, got [5] Long"));
  EXPECT_TRUE(contains(refused(edges_, features_, labels_.to(torch::kFloat)),
                       "labels must be [6] Long on cpu, got [6] Float"));
}

TEST_F(MakeDataset, WrongValuesAreRefusedWithTheirPlace) {
  at::Tensor far = edges_.clone();
  far[3][1] = 6;
  EXPECT_TRUE(contains(refused(far, features_, labels_),
                       "edge 3 joins nodes 2 and 6; nodes are 0 to 5"));
  at::Tensor hole = features_.clone();
  hole[4][2] = std::nanf("");
  EXPECT_TRUE(
      contains(refused(edges_, hole, labels_), "got nan for node 4, column 2"));
  at::Tensor below = labels_.clone();
  below[1] = -2;
  EXPECT_TRUE(
      contains(refused(edges_, features_, below), "node 1 has label -2"));
  EXPECT_TRUE(contains(
      refused(edges_, torch::empty({0, 3}), torch::empty({0}, torch::kLong)),
      "at least one node"));
  ArrayOptions names;
  names.node_names = {"a", "b"};
  EXPECT_TRUE(
      contains(refused(edges_, features_, labels_, names), "got 2 node names"));
}

TEST_F(MakeDataset, GivenSplitsAreChecked) {
  ArrayOptions options;
  options.splits = {
      {torch::tensor({0, 1}), torch::tensor({1}), torch::tensor({3})}};
  EXPECT_NE(refused(edges_, features_, labels_, options), "");
  options.splits = {
      {torch::tensor({0, 1}), torch::tensor({2}), torch::tensor({3})}};
  EXPECT_EQ(make_dataset(edges_, features_, labels_, options).splits.size(),
            1u);
}

}  // namespace
}  // namespace ordered_gnn::data
