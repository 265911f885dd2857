#include "lab/page/node_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/page/attribution_json.h"
#include "lab/page/explanation_json.h"
#include "lab/page/explanation_page.h"
#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostProbabilities = 5;

std::string homophily_cell(float value) {
  return std::isfinite(value) ? fmt::format("{:.0f}", 100 * value) : "-";
}

// The start of a row that lists a node.
std::vector<std::string> node_row(const ExplainedModel& model, int64_t node) {
  const NodeTable& nodes = model.graph.nodes;
  const auto v = static_cast<size_t>(node);
  return {node_title(model, node),
          class_name(model, nodes.label[v]),
          class_name(model, nodes.predicted[v]),
          percent_text(nodes.confidence[v]),
          std::to_string(nodes.degree[v]),
          homophily_cell(nodes.homophily[v])};
}

std::vector<int64_t> listed_numbers(const std::vector<ListedNode>& nodes) {
  std::vector<int64_t> out;
  for (const ListedNode& listed : nodes) out.push_back(listed.node);
  return out;
}

std::vector<std::string> node_header() {
  return {"node",          "label",         "predicted",
          "confidence, %", "in-neighbours", "homophily, %"};
}

PageTable mistakes_table(const ExplainedModel& model) {
  std::vector<std::string> header = node_header();
  const bool shares = model.graph.nodes.has_shares();
  if (shares) header.emplace_back("own share, %");
  ReportTable table(header);
  for (const ListedNode& listed : model.graph.mistakes) {
    std::vector<std::string> row = node_row(model, listed.node);
    if (shares) {
      row.push_back(
          percent_text(model.graph.nodes.shares_of(listed.node).at(0)));
    }
    table.add(std::move(row));
  }
  return {"Most confident mistakes", table, 0,
          listed_numbers(model.graph.mistakes)};
}

PageTable unusual_table(const ExplainedModel& model) {
  std::vector<std::string> header = node_header();
  header.emplace_back("own share, %");
  header.emplace_back("neurons owned by other hops, %");
  ReportTable table(header);
  for (const ListedNode& listed : model.graph.unusual) {
    std::vector<std::string> row = node_row(model, listed.node);
    row.push_back(percent_text(model.graph.nodes.shares_of(listed.node).at(0)));
    row.push_back(percent_text(listed.value));
    table.add(std::move(row));
  }
  return {"Most unusual hop shares", table, 0,
          listed_numbers(model.graph.unusual)};
}

PageTable explained_table(const ExplainedModel& model) {
  ReportTable table(node_header());
  std::vector<int64_t> numbers;
  for (const NodeExplanation& node : model.nodes) {
    table.add(node_row(model, node.node));
    numbers.push_back(node.node);
  }
  return {"Explained in full", table, 0, numbers};
}

// The most probable classes, as pairs of class and probability.
Json probability_pairs(const std::vector<float>& probabilities) {
  std::vector<size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return probabilities[a] > probabilities[b];
  });
  Json out = Json::array();
  for (size_t i = 0; i < std::min(order.size(), kMostProbabilities); ++i) {
    out.push_back({order[i], probabilities[order[i]]});
  }
  return out;
}

// A node as the page's script reads it.
Json browser_detail(const ExplainedModel& model, const NodeExplanation& node) {
  Json tree = Json::array(), hops = Json::array(), cuts = Json::array();
  for (const TreeNode& one : node.tree) {
    tree.push_back({one.node, one.parent, one.depth, one.left_out});
  }
  for (const HopView& hop : node.hops) {
    hops.push_back({{"hop", hop.hop},
                    {"nodes", hop.nodes},
                    {"labels", hop.labels},
                    {"predictions", hop.predictions}});
  }
  for (const CutPrediction& cut : node.cuts) {
    cuts.push_back({{"hops", cut.hops},
                    {"predicted", cut.predicted},
                    {"probability", cut.probabilities.at(cut.predicted)},
                    {"final", cut.probabilities.at(node.predicted)}});
  }
  Json influences = Json::array();
  for (const Influence& one : node.influences) {
    influences.push_back(to_json(one));
  }
  Json out = {{"node", node.node},
              {"probabilities", probability_pairs(node.probabilities)},
              {"tree", tree},
              {"hops", hops},
              {"cuts", cuts},
              {"influences", influences},
              {"candidates", node.num_candidates}};
  const NodeAttribution* const attribution = attribution_of(model, node.node);
  if (attribution != nullptr) {
    out["attribution"] = browser_attribution(model, *attribution);
  }
  return out;
}

// Nobody holds the lists of a graph in parts.
void leave_out_browser(PageSection& section) {
  section.has_browser = false;
  section.paragraphs = {
      "Nodes worth a look. The graph is in parts: single nodes are explained "
      "on the data that these were made of."};
  for (PageTable& table : section.tables) table.node_column = -1;
}

}  // namespace

PageSection node_section(const ExplainedModel& model) {
  PageSection section;
  section.id = "nodes";
  section.title = "Nodes";
  section.paragraphs = {
      "Any node can be looked up here. The lists below name nodes worth a "
      "look: a click opens the view."};
  section.has_browser = true;
  if (!model.graph.mistakes.empty()) {
    section.tables.push_back(mistakes_table(model));
  }
  if (!model.graph.unusual.empty()) {
    section.tables.push_back(unusual_table(model));
  }
  if (!model.nodes.empty()) section.tables.push_back(explained_table(model));
  if (model.in_parts) leave_out_browser(section);
  return section;
}

NodeBrowser explanation_browser(const ExplainedModel& model) {
  const NodeTable& nodes = model.graph.nodes;
  NodeBrowser out;
  out.class_names = model.class_names;
  out.node_names = model.node_names;
  out.label = nodes.label;
  out.predicted = nodes.predicted;
  out.confidence = nodes.confidence;
  out.homophily = nodes.homophily;
  out.degree = nodes.degree;
  for (const NodePart part : nodes.part) {
    out.part.push_back(static_cast<uint8_t>(part));
  }
  if (nodes.has_shares()) {
    out.num_shares = nodes.num_hops + 1;
    out.hop_shares = nodes.hop_shares;
  }
  out.in = (model.heard ? *model.heard : model.network).in();
  out.details = Json::array();
  for (const NodeExplanation& node : model.nodes) {
    out.details.push_back(browser_detail(model, node));
  }
  return out;
}

}  // namespace ordered_gnn::lab
