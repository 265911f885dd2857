#include "lab/page/explanation_json.h"

#include <cmath>

#include "core/io/json_numbers.h"
#include "lab/page/attribution_json.h"

namespace ordered_gnn::lab {
namespace {

Json group_json(const NodeGroup& group) {
  return {{"name", group.name},
          {"nodes", group.nodes},
          {"labelled", group.labelled},
          {"accuracy", core::number_or_null(group.accuracy)},
          {"tested", group.tested},
          {"test_accuracy", core::number_or_null(group.test_accuracy)},
          {"hop_shares", group.hop_shares},
          {"open_gates", group.open_gates}};
}

Json groups_json(const std::vector<NodeGroup>& groups) {
  Json out = Json::array();
  for (const NodeGroup& group : groups) out.push_back(group_json(group));
  return out;
}

Json listed_json(const ExplainedModel& model,
                 const std::vector<ListedNode>& nodes) {
  Json out = Json::array();
  for (const ListedNode& node : nodes) {
    out.push_back({{"node", node.node},
                   {"name", node_title(model, node.node)},
                   {"value", node.value}});
  }
  return out;
}

Json layer_json(const LayerExplanation& layer) {
  const LayerSpread& spread = layer.spread;
  Json out = {
      {"layer", layer.layer},
      {"width", layer.width},
      {"mean_norm", core::number_or_null(spread.mean_norm)},
      {"mean_distance", core::number_or_null(spread.mean_distance)},
      {"relative_distance", core::number_or_null(spread.relative_distance)},
      {"dirichlet_energy", core::number_or_null(spread.dirichlet_energy)},
      {"relative_energy", core::number_or_null(spread.relative_energy)},
      {"mean_cosine", core::number_or_null(spread.mean_cosine)}};
  if (layer.gates) {
    out["mean_expected_split"] = layer.gates->mean_expected_split;
    out["saturated"] = layer.gates->saturated;
  }
  return out;
}

Json part_json(const PartScores& part) {
  Json classes = Json::array();
  for (const ClassScores& one : part.classes) {
    classes.push_back({{"support", one.support},
                       {"predicted", one.predicted},
                       {"hits", one.hits},
                       {"precision", core::number_or_null(one.precision)},
                       {"recall", core::number_or_null(one.recall)},
                       {"f1", core::number_or_null(one.f1)}});
  }
  return {{"name", part.name},
          {"nodes", part.nodes},
          {"labelled", part.labelled},
          {"accuracy", core::number_or_null(part.accuracy)},
          {"macro_f1", core::number_or_null(part.macro_f1)},
          {"mean_confidence", core::number_or_null(part.mean_confidence)},
          {"calibration_error", core::number_or_null(part.calibration_error)},
          {"classes", classes},
          {"confusion", part.confusion}};
}

Json hop_json(const HopView& hop) {
  return {{"hop", hop.hop},
          {"nodes", hop.nodes},
          {"labels", hop.labels},
          {"unlabelled", hop.unlabelled},
          {"predictions", hop.predictions}};
}

}  // namespace

Json to_json(const Influence& influence) {
  return {{"node", influence.node},
          {"distance", influence.distance},
          {"change", influence.change},
          {"predicted", influence.predicted}};
}

Json to_json(const ExplainedModel& model, const NodeExplanation& node) {
  Json tree = Json::array(), hops = Json::array(), cuts = Json::array();
  for (const TreeNode& one : node.tree) {
    tree.push_back({{"node", one.node},
                    {"parent", one.parent},
                    {"depth", one.depth},
                    {"left_out", one.left_out}});
  }
  for (const HopView& hop : node.hops) hops.push_back(hop_json(hop));
  for (const CutPrediction& cut : node.cuts) {
    cuts.push_back({{"hops", cut.hops},
                    {"predicted", cut.predicted},
                    {"probabilities", cut.probabilities}});
  }
  Json influences = Json::array();
  for (const Influence& one : node.influences) {
    influences.push_back(to_json(one));
    influences.back()["name"] = node_title(model, one.node);
    influences.back()["predicted_name"] = class_name(model, one.predicted);
  }
  Json out = {
      {"node", node.node},
      {"name", node_title(model, node.node)},
      {"label", node.label},
      {"label_name",
       node.label < 0 ? Json() : Json(class_name(model, node.label))},
      {"predicted", node.predicted},
      {"predicted_name", class_name(model, node.predicted)},
      {"runner_up", runner_up(node)},
      {"runner_up_name",
       runner_up(node) < 0 ? Json() : Json(class_name(model, runner_up(node)))},
      {"probabilities", node.probabilities},
      {"degree", node.degree},
      {"homophily", core::number_or_null(node.homophily)},
      {"hop_shares", node.hop_shares},
      {"depth", node.depth},
      {"tree", tree},
      {"hops", hops},
      {"cuts", cuts},
      {"influences", influences},
      {"num_candidates", node.num_candidates}};
  const NodeAttribution* const attribution = attribution_of(model, node.node);
  if (attribution != nullptr) {
    out["attribution"] = to_json(model, *attribution);
  }
  return out;
}

Json to_json(const ExplainedModel& model) {
  const GraphExplanation& graph = model.graph;
  Json parts = Json::array(), layers = Json::array(), nodes = Json::array();
  for (const PartScores& part : graph.parts) parts.push_back(part_json(part));
  for (const LayerExplanation& layer : graph.layers) {
    layers.push_back(layer_json(layer));
  }
  for (const NodeExplanation& node : model.nodes) {
    nodes.push_back(to_json(model, node));
  }
  Json out = {{"dataset", model.dataset},
              {"model", model.options.model},
              {"split", model.split < 0 ? Json() : Json(model.split)},
              {"classes", model.class_names},
              {"parts", parts},
              {"layers", layers},
              {"all", group_json(graph.all)},
              {"by_class", groups_json(graph.by_class)},
              {"by_degree", groups_json(graph.by_degree)},
              {"by_homophily", groups_json(graph.by_homophily)},
              {"by_part", groups_json(graph.by_part)},
              {"mistakes", listed_json(model, graph.mistakes)},
              {"unusual", listed_json(model, graph.unusual)}};
  if (model.importance) out["importance"] = to_json(*model.importance);
  if (!model.nodes.empty()) out["nodes"] = nodes;
  return out;
}

}  // namespace ordered_gnn::lab
