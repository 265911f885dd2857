#include "ordered_gnn/data/added_nodes.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "data/grown_dataset.h"
#include "ordered_gnn/data/node_order.h"
#include "support/errors.h"
#include "support/features.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kOld = 12, kNew = 3, kWidth = 5;

struct Pieces {
  RawDataset old;
  AddedNodes added;
  RawDataset all;  // both at once
};

// Counts as features, so that rows can be normalised whatever their kind.
Pieces pieces(NodeFeatures::Kind kind) {
  torch::manual_seed(4);
  Pieces out;
  at::Tensor values =
      torch::randint(0, 4, {kOld + kNew, kWidth}).to(at::kFloat);
  values[0][0] = 0;  // the minimum is an old one
  const auto features = [&](const at::Tensor& rows) {
    return kind == NodeFeatures::Kind::sparse ? sparse_from(rows)
                                              : NodeFeatures::dense(rows);
  };
  const at::Tensor old_edges = torch::randint(0, kOld, {2, 30}, at::kLong);
  out.added.edges = torch::randint(0, kOld + kNew, {2, 20}, at::kLong);
  out.added.features = values.narrow(0, kOld, kNew);
  out.added.names = {"x", "y", "z"};
  RawDataset& all = out.all;
  all.name = "pieces";
  all.num_nodes = kOld + kNew;
  all.num_classes = 2;
  all.edges = torch::cat({old_edges, out.added.edges}, 1);
  all.features = features(values);
  all.labels = torch::cat({torch::randint(0, 2, {kOld}, at::kLong),
                           torch::full({kNew}, -1, at::kLong)});
  out.old = all;
  out.old.num_nodes = kOld;
  out.old.edges = old_edges;
  out.old.features = features(values.narrow(0, 0, kOld));
  out.old.labels = all.labels.narrow(0, 0, kOld);
  for (int64_t v = 0; v < kOld; ++v) {
    out.old.node_names.push_back("old " + std::to_string(v));
  }
  all.node_names = out.old.node_names;
  all.node_names.insert(all.node_names.end(), out.added.names.begin(),
                        out.added.names.end());
  return out;
}

void expect_equal(const NodeDataset& a, const NodeDataset& b) {
  EXPECT_TRUE(torch::equal(a.graph.in().rowptr, b.graph.in().rowptr));
  EXPECT_TRUE(torch::equal(a.graph.in().col, b.graph.in().col));
  EXPECT_EQ(a.features.kind(), b.features.kind());
  EXPECT_TRUE(torch::equal(a.features.to_dense(), b.features.to_dense()));
  EXPECT_TRUE(torch::equal(a.labels, b.labels));
  EXPECT_EQ(a.node_names, b.node_names);
}

TEST(WithAdded, IsWhatLoadingAllAtOnceGives) {
  for (const auto kind :
       {NodeFeatures::Kind::dense, NodeFeatures::Kind::sparse}) {
    const Pieces given = pieces(kind);
    for (const Direction direction :
         {Direction::as_stored, Direction::reversed, Direction::undirected}) {
      for (const SelfLoops loops :
           {SelfLoops::keep, SelfLoops::remove, SelfLoops::add}) {
        for (const auto features :
             {Treatment::Features::raw, Treatment::Features::row_normalized}) {
          SCOPED_TRACE(to_string(direction) + " " + to_string(loops) + " " +
                       to_string(features));
          const Treatment treatment{direction, loops, features};
          expect_equal(with_added(prepare(given.old, treatment), given.added),
                       prepare(given.all, treatment));
        }
      }
    }
  }
}

TEST(WithAdded, RowsAreTreatedWithTheMinimumOfTheDataset) {
  Pieces given = pieces(NodeFeatures::Kind::dense);
  given.old.features = NodeFeatures::dense(
      torch::full({kOld, kWidth}, 3.f)
          .add(torch::arange(kOld).to(at::kFloat).unsqueeze(1)));
  given.added.features = torch::full({kNew, kWidth}, 5.f);
  const NodeDataset grown = with_added(prepare(given.old, {}), given.added);
  // (5 - 3) / (5 * 2)
  EXPECT_TRUE(torch::equal(grown.features.dense_values().narrow(0, kOld, kNew),
                           torch::full({kNew, kWidth}, 0.2f)));
}

TEST(WithAdded, NodesThatAreNumbersGoOnCounting) {
  Pieces given = pieces(NodeFeatures::Kind::dense);
  given.old.node_names.clear();
  given.added.names.clear();
  const NodeDataset data = prepare(given.old, {});
  EXPECT_TRUE(with_added(data, given.added).node_names.empty());
  given.added.names = {"a", "b", "c"};
  const NodeDataset named = with_added(data, given.added);
  EXPECT_EQ(named.node_names[3], "3");
  EXPECT_EQ(named.node_names[kOld + 1], "b");
}

TEST(WithAdded, WithNothingToAddNothingChanges) {
  const Pieces given = pieces(NodeFeatures::Kind::dense);
  const NodeDataset data = prepare(given.old, {});
  const NodeDataset same = with_added(data, {});
  EXPECT_EQ(same.graph.in().col.data_ptr(), data.graph.in().col.data_ptr());
  AddedNodes known;  // the lists have it already
  known.edges = given.old.edges.narrow(1, 0, 1);
  expect_equal(with_added(data, known), data);
}

TEST(WithAdded, EdgesAloneSuitNodeIdsAsFeatures) {
  Pieces given = pieces(NodeFeatures::Kind::dense);
  Treatment treatment;
  treatment.features = Treatment::Features::identity;
  const NodeDataset data = prepare(given.old, treatment);
  EXPECT_TRUE(contains(error_of([&] { with_added(data, given.added); }),
                       "has node ids as features"));
  AddedNodes edges;
  edges.edges = torch::tensor({0, 11, 7, 3}, at::kLong).view({2, 2});
  EXPECT_EQ(with_added(data, edges).features.num_features(), kOld);
}

TEST(WithAdded, RefusesWhatDoesNotFit) {
  const Pieces given = pieces(NodeFeatures::Kind::dense);
  const NodeDataset data = prepare(given.old, {});
  const auto message = [&](const auto& change) {
    AddedNodes added = given.added;
    change(added);
    return error_of([&] { with_added(data, added); });
  };
  EXPECT_TRUE(contains(message([](AddedNodes& added) {
                         added.features = torch::zeros({kNew, kWidth + 1});
                       }),
                       "must be [n, 5] float32"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) {
                         added.features = added.features.clone();
                         added.features[1][2] = std::nanf("");
                       }),
                       "feature 2 of new node 1 is nan"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) {
                         added.names = {"x", "old 4", "z"};
                       }),
                       "has a node 'old 4' already"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) {
                         added.names = {"x", "z", "z"};
                       }),
                       "two new nodes have the name 'z'"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) { added.names = {"x"}; }),
                       "got 1 names for 3 new nodes"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) { added.names.clear(); }),
                       "give new ones names too"));
  EXPECT_TRUE(contains(message([](AddedNodes& added) {
                         added.edges = torch::full({2, 1}, 15, at::kLong);
                       }),
                       "added edge 0 names node 15"));
}

TEST(WithAdded, RefusesDataInAnotherOrder) {
  const Pieces given = pieces(NodeFeatures::Kind::dense);
  const NodeDataset moved =
      reordered(prepare(given.old, {}), torch::arange(kOld, at::kLong).flip(0));
  EXPECT_TRUE(contains(error_of([&] { with_added(moved, given.added); }),
                       "add nodes and edges before reordering"));
}

// 0 -> 1 -> 2 -> 3 -> 4, and what a message to node 1 is heard by.
TEST(GrownDataset, ChangesAreHeardAlongTheMessages) {
  RawDataset raw;
  raw.num_nodes = 5;
  raw.edges = torch::tensor({0, 1, 2, 3, 1, 2, 3, 4}, at::kLong).view({2, 4});
  raw.features = NodeFeatures::dense(torch::ones({5, 1}));
  raw.labels = torch::full({5}, -1, at::kLong);
  AddedNodes added;
  added.features = torch::ones({1, 1});
  added.edges = torch::tensor({5, 1}, at::kLong).view({2, 1});
  const auto changed = [&](Direction direction, int64_t hops) {
    const NodeDataset data =
        prepare(raw, {direction, SelfLoops::remove, Treatment::Features::raw});
    return data::GrownDataset(data, added).changed_nodes(hops);
  };
  using Nodes = std::vector<int64_t>;
  EXPECT_EQ(changed(Direction::as_stored, 0), (Nodes{5}));
  EXPECT_EQ(changed(Direction::as_stored, 1), (Nodes{1, 2, 5}));
  EXPECT_EQ(changed(Direction::as_stored, 2), (Nodes{1, 2, 3, 5}));
  EXPECT_EQ(changed(Direction::reversed, 1), (Nodes{5}));
  EXPECT_EQ(changed(Direction::undirected, 1), (Nodes{0, 1, 2, 5}));
}

}  // namespace
}  // namespace ordered_gnn
