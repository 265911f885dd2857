#include "page_support.h"

#include <cmath>

namespace ordered_gnn::lab {
namespace {

NodeGroup group_of(const std::string& name, int64_t nodes, double accuracy) {
  NodeGroup group;
  group.name = name;
  group.nodes = group.labelled = nodes;
  group.accuracy = accuracy;
  if (nodes > 0) group.hop_shares = {0.5, 0.3, 0.2};
  return group;
}

NodeTable four_nodes() {
  NodeTable nodes;
  nodes.num_classes = 2;
  nodes.num_hops = 2;
  nodes.share_source = HopShareSource::gates;
  nodes.label = {0, 1, 1, -1};
  nodes.predicted = {0, 1, 0, 1};
  nodes.confidence = {0.9f, 0.8f, 0.95f, 0.6f};
  nodes.degree = {1, 2, 2, 1};
  nodes.homophily = {0, 0.5f, 1, NAN};
  nodes.part = {NodePart::train, NodePart::val, NodePart::test, NodePart::none};
  for (int v = 0; v < 4; ++v) {
    nodes.hop_shares.insert(nodes.hop_shares.end(), {0.5f, 0.3f, 0.2f});
  }
  return nodes;
}

LayerExplanation layer_of(int64_t number, bool gated) {
  LayerExplanation layer;
  layer.layer = number;
  layer.width = 4;
  layer.spread = {1, 2, 2, 4, 3, 0.75, 0.1};
  if (!gated) return layer;
  GateSummary gate;
  gate.numbers = {0, 0.25, 0.5, 0.75, 1};
  gate.tails = {0, 1, 0, {}};
  gate.mean = 0.5;
  LayerGates gates;
  gates.gates = {gate, gate};
  gates.mean_expected_split = 2;
  gates.saturated = 0.25;
  layer.gates = gates;
  return layer;
}

NodeExplanation mistake() {
  NodeExplanation node;
  node.node = 2;
  node.label = 1;
  node.predicted = 0;
  node.probabilities = {0.95f, 0.05f};
  node.degree = 2;
  node.homophily = 1;
  node.hop_shares = {0.5, 0.3, 0.2};
  node.depth = 2;
  node.tree = {{2, -1, 0, 0}, {1, 0, 1, 0}, {3, 0, 1, 0}, {0, 1, 2, 7}};
  node.hops = {{0, 1, {0, 1}, 0, {1, 0}}, {1, 2, {0, 1}, 1, {0, 2}}};
  node.cuts = {{0, 1, {0.4f, 0.6f}}, {1, 0, {0.7f, 0.3f}}};
  node.influences = {{1, 1, -0.5, 1}};
  node.num_candidates = 3;
  return node;
}

}  // namespace

ExplainedModel line_of_four() {
  ExplainedModel model;
  model.dataset = "four";
  model.num_parameters = 12;
  model.num_features = 3;
  model.class_names = {"cat", "dog <b>"};
  model.network = Graph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}},
                                    {Direction::undirected, SelfLoops::add});
  GraphExplanation& graph = model.graph;
  graph.nodes = four_nodes();
  graph.layers = {layer_of(0, false), layer_of(1, true), layer_of(2, true)};
  graph.all = group_of("all nodes", 4, 2.0 / 3);
  graph.by_class = {group_of("cat", 1, 1), group_of("dog <b>", 2, 0.5)};
  graph.by_degree = {group_of("0", 0, NAN), group_of("1", 2, 1),
                     group_of("2-3", 2, 0.5)};
  graph.by_homophily = {group_of("0-0.2", 1, 1), group_of("0.8-1", 1, 0)};
  graph.by_part = {group_of("train", 1, 1), group_of("test", 1, 0)};
  std::vector<int64_t> all = {0, 1, 2, 3};
  const NodeTable& nodes = graph.nodes;
  graph.parts = {score_part("test", {2}, nodes.label, nodes.predicted,
                            nodes.confidence, 2),
                 score_part("all", all, nodes.label, nodes.predicted,
                            nodes.confidence, 2)};
  graph.mistakes = {{2, 0.95}};
  graph.unusual = {{1, 0.25}};
  model.nodes = {mistake()};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    model.curves.push_back({{"epoch", epoch},
                            {"loss", 1.0 / epoch},
                            {"train_accuracy", 0.5},
                            {"val_accuracy", 0.25 * epoch},
                            {"test_accuracy", nullptr},
                            {"best_epoch", 3}});
  }
  return model;
}

ExplainedModel with_attributes() {
  ExplainedModel model = line_of_four();
  model.node_names = {"ann", "3", "bob", "eve"};
  model.has_columns = true;
  model.attributes = {
      {"age", 0, 1, 0}, {"plan <i>", 1, 1, 1}, {"joined", 2, 1, 2}};
  NodeAttribution of_bob;
  of_bob.node = 2;
  of_bob.predicted = 0;
  of_bob.log_odds = 2.9;
  of_bob.baseline_log_odds = -0.5;
  of_bob.probability = 0.95;
  of_bob.baseline_probability = 0.38;
  of_bob.steps = 27;
  of_bob.residual = 0.002;
  of_bob.attributes = {{1, "gold & more", 2.0, -0.25, {{-0.4, -1.9, 1}}},
                       {0, "42", -0.5, 1.5, {{0.02, 0.4, 0}}},
                       {2, "2024-02-29", 0.0, 0.652, {}}};
  of_bob.own_share = 0.51;
  of_bob.own_total = 1.5;
  of_bob.others_total = 1.902;
  of_bob.neighbours = {{3, 1, 1.9}, {1, 1, 0.002}};
  of_bob.num_neighbours = 2;
  model.attributions = {of_bob};
  ImportanceReport report;
  report.part = "test";
  report.nodes = 1;
  report.score = 0.5;
  report.repeats = 5;
  report.num_attributes = 3;
  report.attributes = {{1, "plan <i>", 0.25, 0.05}, {0, "age", -0.01, 0.02}};
  model.importance = report;
  return model;
}

ExplainedModel without_layers() {
  ExplainedModel model = line_of_four();
  model.split = -1;
  model.curves.clear();
  model.nodes.clear();
  GraphExplanation& graph = model.graph;
  graph.layers.clear();
  graph.unusual.clear();
  graph.nodes.num_hops = -1;
  graph.nodes.share_source = HopShareSource::none;
  graph.nodes.hop_shares.clear();
  for (auto* groups : {&graph.by_class, &graph.by_degree, &graph.by_homophily,
                       &graph.by_part}) {
    for (NodeGroup& group : *groups) group.hop_shares.clear();
  }
  graph.all.hop_shares.clear();
  return model;
}

}  // namespace ordered_gnn::lab
