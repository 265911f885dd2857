#include "data/live/live_graph.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "support/changing_graph.h"
#include "support/errors.h"

namespace ordered_gnn::data {
namespace {

// 0 -> 1 -> 2, 2 -> 0, and a loop at 1.
RawDataset three_nodes(bool named) {
  RawDataset raw;
  raw.name = "three";
  raw.num_nodes = 3;
  raw.edges = torch::tensor({0, 1, 2, 1, 1, 2, 0, 1}, at::kLong).view({2, 4});
  raw.features =
      NodeFeatures::dense(torch::tensor({{1.f, 0.f}, {2.f, 1.f}, {0.f, 3.f}}));
  raw.labels = torch::tensor({0, 1, -1}, at::kLong);
  raw.num_classes = 2;
  raw.splits.push_back({torch::tensor({0}, at::kLong),
                        torch::tensor({1}, at::kLong),
                        torch::tensor({2}, at::kLong)});
  if (named) raw.node_names = {"a", "b", "c"};
  return raw;
}

LiveGraph live(const RawDataset& raw, SelfLoops loops = SelfLoops::keep,
               Direction direction = Direction::as_stored) {
  return {raw, prepare(raw, {direction, loops, Treatment::Features::raw})};
}

LiveGraph after(const LiveGraph& graph, GraphChange change,
                const ChangeLimits& limits = {}) {
  ChangeEffect effect;
  LiveGraph out = graph.changed(change, limits, effect);
  out.commit();
  return out;
}

std::vector<int32_t> senders(const LiveGraph& graph, const std::string& name) {
  const core::ListTable::Row row = graph.in().row(graph.find(name));
  return {row.begin, row.end};
}

// The field and the message of what a change is refused for.
std::string refused(const LiveGraph& graph, GraphChange change,
                    const ChangeLimits& limits = {}) {
  try {
    ChangeEffect effect;
    graph.changed(change, limits, effect);
  } catch (const FieldError& error) {
    return error.field() + ": " + error.what();
  }
  return "";
}

TEST(LiveGraph, EarlierVersionsStayAsTheyAre) {
  const LiveGraph first = live(three_nodes(true));
  GraphChange change;
  change.add_nodes.push_back({"d", {4, 5}, 1});
  change.add_edges = {{"a", "d"}, {"d", "c"}};
  change.remove_edges = {{"a", "b"}};
  change.set_labels.push_back({"c", 0});
  const LiveGraph second = after(first, change);
  EXPECT_EQ(first.num_nodes(), 3);
  EXPECT_EQ(first.find("d"), -1);
  EXPECT_EQ(senders(first, "b"), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(first.label(2), -1);
  EXPECT_EQ(second.num_nodes(), 4);
  EXPECT_EQ(second.find("d"), 3);
  EXPECT_EQ(senders(second, "b"), (std::vector<int32_t>{1}));
  EXPECT_EQ(senders(second, "d"), (std::vector<int32_t>{0}));
  EXPECT_EQ(senders(second, "c"), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(second.label(2), 0);
  EXPECT_EQ(second.label(3), 1);
}

TEST(LiveGraph, RemovedNodesLeaveRowsAndNamesStay) {
  const LiveGraph first = live(three_nodes(false));
  GraphChange change;
  change.remove_nodes = {"0"};
  const LiveGraph second = after(first, change);
  EXPECT_EQ(second.find("0"), -1);
  EXPECT_EQ(second.find("2"), 2);
  EXPECT_EQ(second.num_nodes(), 2);
  const RawDataset raw = second.raw();
  EXPECT_EQ(raw.node_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(raw.splits[0].train.numel(), 0);
  EXPECT_EQ(raw.splits[0].test[0].item<int64_t>(), 1);
  // A name that is free may come back, as another node.
  GraphChange again;
  again.add_nodes.push_back({"0", {1, 1}, -1});
  again.add_nodes.push_back({"", {1, 1}, -1});
  const LiveGraph third = after(second, again);
  EXPECT_EQ(third.find("0"), 3);
  EXPECT_EQ(third.name_of(4), "4");
  EXPECT_EQ(third.raw().node_names,
            (std::vector<std::string>{"1", "2", "0", "4"}));
}

TEST(LiveGraph, NumbersInOrderAreNotWritten) {
  GraphChange change;
  change.add_nodes.push_back({"", {1, 1}, -1});
  const LiveGraph graph = after(live(three_nodes(false)), change);
  EXPECT_EQ(graph.find("3"), 3);
  EXPECT_TRUE(graph.raw().node_names.empty());
}

TEST(LiveGraph, ReadsEdgesAsTheTreatmentDoes) {
  GraphChange change;
  change.add_nodes.push_back({"d", {1, 1}, -1});
  change.add_edges = {{"d", "a"}, {"d", "d"}};
  const LiveGraph reversed = after(
      live(three_nodes(true), SelfLoops::add, Direction::reversed), change);
  EXPECT_EQ(senders(reversed, "d"), (std::vector<int32_t>{0, 3}));
  const LiveGraph both =
      after(live(three_nodes(true), SelfLoops::remove, Direction::undirected),
            change);
  EXPECT_EQ(senders(both, "d"), (std::vector<int32_t>{0}));
  EXPECT_EQ(senders(both, "a"), (std::vector<int32_t>{1, 2, 3}));
  for (const LiveGraph* graph : {&reversed, &both}) {
    const NodeDataset read = prepare(graph->raw(), graph->treatment());
    EXPECT_TRUE(
        torch::equal(read.graph.in().col, graph->dataset().graph.in().col));
    EXPECT_TRUE(torch::equal(read.graph.in().rowptr,
                             graph->dataset().graph.in().rowptr));
  }
}

TEST(LiveGraph, RefusesWhatCannotBeByItsField) {
  const LiveGraph graph = live(three_nodes(true));
  const auto field = [&](const auto& fill) {
    GraphChange change;
    fill(change);
    return refused(graph, change);
  };
  EXPECT_EQ(field([](GraphChange& c) {
              c.add_edges = {{"a", "x"}};
            }),
            "add_edges[0][1]: there is no node 'x'");
  EXPECT_EQ(field([](GraphChange& c) {
              c.remove_nodes = {"a", "a"};
            }),
            "remove_nodes[1]: there is no node 'a'");
  EXPECT_EQ(field([](GraphChange& c) {
              c.remove_edges = {{"b", "a"}};
            }),
            "remove_edges[0]: there is no edge from 'b' to 'a'");
  EXPECT_EQ(field([](GraphChange& c) {
              c.add_nodes = {{"a", {1, 1}, 0}};
            }),
            "add_nodes[0].id: there is a node 'a' already");
  EXPECT_EQ(field([](GraphChange& c) {
              c.add_nodes = {{"d", {1}, 0}};
            }),
            "add_nodes[0].features: a node has 2 features, got 1");
  EXPECT_EQ(field([](GraphChange& c) {
              c.set_labels = {{"a", 7}};
            }),
            "set_labels[0].label: there is no class 7; classes are 0 to 1");
  EXPECT_TRUE(contains(
      field([](GraphChange& c) {
        c.set_features = {{"a", {1, std::numeric_limits<float>::quiet_NaN()}}};
      }),
      "set_features[0].features[1]: "));
  EXPECT_TRUE(contains(field([](GraphChange& c) {
                         c.add_nodes = {{"", {1, 1}, 0}};
                       }),
                       "add_nodes[0].id: the nodes of this graph have names"));
  EXPECT_TRUE(contains(field([](GraphChange& c) {
                         c.remove_nodes = {"a", "b", "c"};
                       }),
                       "at least one node"));
}

TEST(LiveGraph, HoldsToItsLimits) {
  const LiveGraph graph = live(three_nodes(true));
  GraphChange change;
  change.add_edges = {{"a", "c"}, {"c", "c"}};
  EXPECT_EQ(refused(graph, change), "");
  EXPECT_TRUE(contains(refused(graph, change, {10, 1, 10}),
                       "2 edges in one change are more than 1"));
  EXPECT_TRUE(contains(refused(graph, change, {10, 10, 2}),
                       "node 'c' would receive from 3 nodes"));
  change.set_labels = {{"a", 0}};
  EXPECT_TRUE(contains(refused(graph, change, {0, 10, 10}),
                       "1 nodes in one change are more than 0"));
}

TEST(LiveGraph, RefusesLoopsThatTheTreatmentMakes) {
  GraphChange change;
  change.remove_edges = {{"b", "b"}};
  EXPECT_TRUE(contains(refused(live(three_nodes(true), SelfLoops::add), change),
                       "loops are treated by the model"));
  EXPECT_EQ(senders(after(live(three_nodes(true)), change), "b"),
            (std::vector<int32_t>{0}));
}

std::vector<float> weights(const LiveGraph& graph, const std::string& name) {
  const core::ListTable::Row row = graph.in().row(graph.find(name));
  return {row.value, row.value + row.size()};
}

TEST(LiveGraph, EdgesHaveWeightsWhereTheGraphHas) {
  RawDataset weighted = three_nodes(true);
  weighted.edge_weights = torch::tensor({2.f, 3.f, 4.f, 5.f});
  GraphChange change;
  change.add_edges = {{"a", "c"}, {"a", "b", 0.5f}, {"c", "b", 7.f}};
  const LiveGraph graph = after(live(weighted), change);
  EXPECT_EQ(senders(graph, "b"), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(weights(graph, "b"), (std::vector<float>{0.5f, 5, 7}));
  EXPECT_EQ(weights(graph, "c"), (std::vector<float>{1, 3}));
  GraphChange less;
  less.remove_edges = {{"a", "b"}};
  EXPECT_EQ(weights(after(graph, less), "b"), (std::vector<float>{5, 7}));
  const NodeDataset fresh = prepare(graph.raw(), graph.treatment());
  EXPECT_TRUE(torch::equal(graph.dataset().graph.factors().symmetric,
                           fresh.graph.factors().symmetric));
  change.add_edges = {{"a", "c", -1.f}};
  EXPECT_EQ(refused(graph, change),
            "add_edges[0].weight: a weight is a finite number, 0 or more, of "
            "32 bits");
  change.add_edges = {{"a", "c", 2.f}};
  EXPECT_TRUE(contains(refused(live(three_nodes(true)), change),
                       "edges have no weights here"));
}

// A loop that every node has can be given a weight, and loses it again.
TEST(LiveGraph, LoopsThatAreAddedCanHaveWeights) {
  RawDataset weighted = three_nodes(true);
  weighted.edge_weights = torch::tensor({2.f, 3.f, 4.f, 5.f});
  const LiveGraph graph = live(weighted, SelfLoops::add, Direction::undirected);
  EXPECT_EQ(weights(graph, "b"), (std::vector<float>{2, 5, 3}));
  GraphChange change;
  change.add_edges = {{"a", "a", 6.f}};
  change.remove_edges = {{"b", "b"}};
  const LiveGraph changed = after(graph, change);
  EXPECT_EQ(weights(changed, "a")[0], 6);
  EXPECT_EQ(weights(changed, "b")[1], 1);
  EXPECT_TRUE(
      torch::equal(prepare(changed.raw(), changed.treatment()).graph.weights(),
                   changed.in().all_values()));
  change.add_edges.clear();
  EXPECT_TRUE(contains(refused(changed, change), "none of the stored edges"));
}

// Numbers of nodes that are gone are not given twice while the graph lives, and
// what is written of it can be read and go on.
TEST(LiveGraph, NumbersStayWithNodesWhenRowsAreGivenUp) {
  LiveGraph graph = live(three_nodes(false));
  GraphChange come;
  for (int i = 0; i < 600; ++i) come.add_nodes.push_back({"", {1, 1}, -1});
  graph = after(graph, come);
  GraphChange go;
  for (int i = 0; i < 500; ++i) go.remove_nodes.push_back(std::to_string(i));
  graph = after(graph, go);
  const auto moves = graph.row_moves();
  ASSERT_TRUE(moves.has_value());
  const LiveGraph moved = graph.moved(*moves);
  EXPECT_LT(moved.num_rows(), 300);
  EXPECT_EQ(moved.num_nodes(), 103);
  EXPECT_EQ(moved.find("17"), -1);
  EXPECT_EQ(moved.name_of(moved.find("555")), "555");
  EXPECT_EQ(moved.raw().node_names, graph.raw().node_names);
  GraphChange one;
  one.add_nodes.push_back({"", {1, 1}, -1});
  EXPECT_GE(after(moved, one).find("603"), 0);
  const LiveGraph read(moved.raw(), prepare(moved.raw(), moved.treatment()));
  EXPECT_GE(after(read, one).find("603"), 0);
}

TEST(LiveGraph, WithNodeIdsCannotChange) {
  GraphChange change;
  change.set_labels = {{"a", 0}};
  RawDataset ids = three_nodes(true);
  ids.features = NodeFeatures::identity(3);
  EXPECT_TRUE(contains(refused(live(ids), change), "node ids"));
  RawDataset twice = three_nodes(true);
  twice.node_names = {"a", "b", "a"};
  EXPECT_TRUE(contains(error_of([&] { live(twice); }), "several nodes 'a'"));
}

}  // namespace
}  // namespace ordered_gnn::data
