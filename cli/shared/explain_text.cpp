#include "shared/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shared/attribution_text.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kMostListed = 10;
constexpr size_t kMostColumns = 9;  // hops in a row; the last has the rest

std::vector<std::string> hop_header(const std::string& first, size_t shares) {
  std::vector<std::string> header = {first, "nodes"};
  for (size_t k = 0; k < std::min(shares, kMostColumns); ++k) {
    header.push_back(k == 0 ? "itself" : fmt::format("hop {}", k));
  }
  if (shares > kMostColumns) header.back() += "+";
  return header;
}

std::vector<std::string> share_cells(const std::vector<double>& shares) {
  std::vector<std::string> cells;
  const size_t shown = std::min(shares.size(), kMostColumns);
  for (size_t k = 0; k < shown; ++k) {
    const auto begin = shares.begin() + static_cast<std::ptrdiff_t>(k);
    cells.push_back(fmt::format(
        "{:.1f}",
        100 * (k + 1 < shown ? shares[k]
                             : std::accumulate(begin, shares.end(), 0.0))));
  }
  return cells;
}

std::string parts_text(const lab::ExplainedModel& model) {
  Table table({"part", "nodes", "accuracy", "macro F1", "confidence",
               "calibration error"});
  for (const PartScores& part : model.graph.parts) {
    table.add({part.name, std::to_string(part.labelled), percent(part.accuracy),
               percent(part.macro_f1), percent(part.mean_confidence),
               percent(part.calibration_error)});
  }
  return table.text();
}

std::string shares_text(const lab::ExplainedModel& model) {
  const GraphExplanation& graph = model.graph;
  const size_t shares = graph.all.hop_shares.size();
  if (shares == 0) return "\nThis model has no hop shares.\n";
  Table table(hop_header("share of the neurons, %", shares));
  const auto add = [&](const NodeGroup& group, const std::string& prefix) {
    if (group.nodes == 0 || group.hop_shares.empty()) return;
    std::vector<std::string> row = {prefix + group.name,
                                    std::to_string(group.nodes)};
    for (std::string& cell : share_cells(group.hop_shares)) {
      row.push_back(std::move(cell));
    }
    table.add(std::move(row));
  };
  add(graph.all, "");
  for (const NodeGroup& group : graph.by_class) add(group, "class ");
  for (const NodeGroup& group : graph.by_homophily) add(group, "homophily ");
  for (const NodeGroup& group : graph.by_degree) add(group, "in-neighbours ");
  return "\n" + table.text();
}

std::string layers_text(const lab::ExplainedModel& model) {
  if (model.graph.layers.empty()) return "";
  Table table({"layer", "expected split", "open gates, %", "distance",
               "Dirichlet energy", "neighbours / all"});
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
  };
  for (const LayerExplanation& layer : model.graph.layers) {
    table.add({std::to_string(layer.layer),
               layer.gates
                   ? fmt::format("{:.1f} of {}",
                                 layer.gates->mean_expected_split, layer.width)
                   : "-",
               layer.gates ? percent(layer.gates->saturated) : "-",
               number(layer.spread.mean_distance),
               number(layer.spread.dirichlet_energy),
               number(layer.spread.relative_energy)});
  }
  return "\n" + table.text();
}

std::string listed_text(const lab::ExplainedModel& model,
                        const std::string& title,
                        const std::vector<ListedNode>& nodes) {
  if (nodes.empty()) return "";
  Table table({"node", "label", "predicted", "confidence", title},
              {lab::Align::left, lab::Align::left, lab::Align::left,
               lab::Align::right, lab::Align::right});
  for (size_t i = 0; i < std::min(nodes.size(), kMostListed); ++i) {
    const auto v = static_cast<size_t>(nodes[i].node);
    table.add({lab::node_title(model, nodes[i].node),
               lab::class_name(model, model.graph.nodes.label[v]),
               lab::class_name(model, model.graph.nodes.predicted[v]),
               percent(model.graph.nodes.confidence[v]),
               percent(nodes[i].value)});
  }
  return "\n" + table.text();
}

// Indented by hop, depth first, so that children stand below their parent. A
// screen takes fewer nodes than the tree may have.
void add_tree(const lab::ExplainedModel& model, const NodeExplanation& node,
              size_t at, std::string& out) {
  constexpr int64_t kMostChildren = 5, kMostDepth = 2;
  const TreeNode& entry = node.tree[at];
  const auto v = static_cast<size_t>(entry.node);
  const NodeTable& nodes = model.graph.nodes;
  out += fmt::format("  {}{}: {}", std::string(2 * entry.depth, ' '),
                     lab::node_title(model, entry.node),
                     lab::class_name(model, nodes.predicted[v]));
  if (nodes.label[v] != nodes.predicted[v]) {
    out += fmt::format(" (label {})", lab::class_name(model, nodes.label[v]));
  }
  out += "\n";
  int64_t shown = 0, left_out = entry.left_out;
  for (size_t i = at + 1; i < node.tree.size(); ++i) {
    if (node.tree[i].parent != static_cast<int64_t>(at)) continue;
    if (shown < kMostChildren && entry.depth < kMostDepth) {
      add_tree(model, node, i, out);
      ++shown;
    } else {
      ++left_out;
    }
  }
  if (left_out > 0 && entry.depth < kMostDepth) {
    out += fmt::format("  {}and {} more\n",
                       std::string(2 * entry.depth + 2, ' '), left_out);
  }
}

// "dog 12, cat 3 and 4 others" for counts per class.
std::string counts_text(const lab::ExplainedModel& model,
                        const std::vector<int64_t>& counts) {
  std::vector<size_t> order;
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  std::string out;
  int64_t others = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i >= 3) {
      others += counts[order[i]];
      continue;
    }
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                       lab::class_name(model, static_cast<int64_t>(order[i])),
                       counts[order[i]]);
  }
  if (others > 0) out += fmt::format(" and {} others", others);
  return out.empty() ? "-" : out;
}

std::string hops_text(const lab::ExplainedModel& model,
                      const NodeExplanation& node) {
  Table table({"hop", "share, %", "nodes", "labels", "predictions"},
              {lab::Align::right, lab::Align::right, lab::Align::right,
               lab::Align::left, lab::Align::left});
  for (const HopView& hop : node.hops) {
    const auto k = static_cast<size_t>(hop.hop);
    table.add({std::to_string(hop.hop),
               k < node.hop_shares.size()
                   ? fmt::format("{:.1f}", 100 * node.hop_shares[k])
                   : "-",
               std::to_string(hop.nodes), counts_text(model, hop.labels),
               counts_text(model, hop.predictions)});
  }
  return "\nWhat each hop says (labels of all parts, also those the model has "
         "never seen)\n" +
         table.text();
}

std::string cuts_text(const lab::ExplainedModel& model,
                      const NodeExplanation& node) {
  if (node.cuts.empty()) return "";
  Table table({"hops", "predicted", "probability", "of the final class"},
              {lab::Align::right, lab::Align::left, lab::Align::right,
               lab::Align::right});
  for (const CutPrediction& cut : node.cuts) {
    table.add({std::to_string(cut.hops), lab::class_name(model, cut.predicted),
               percent(cut.probabilities.at(cut.predicted)),
               percent(cut.probabilities.at(node.predicted))});
  }
  return "\nIf messages stopped after so many hops\n" + table.text();
}

std::string influences_text(const lab::ExplainedModel& model,
                            const NodeExplanation& node) {
  if (node.influences.empty()) return "";
  Table table({"without node", "hops away", "change, points", "predicted then"},
              {lab::Align::left, lab::Align::right, lab::Align::right,
               lab::Align::left});
  for (size_t i = 0; i < std::min(node.influences.size(), kMostListed); ++i) {
    const Influence& one = node.influences[i];
    table.add({lab::node_title(model, one.node), std::to_string(one.distance),
               fmt::format("{:+.2f}", 100 * one.change),
               lab::class_name(model, one.predicted)});
  }
  return fmt::format(
             "\nNeighbours whose removal changes the probability most ({} of "
             "{} tried)\n",
             node.influences.size(), node.num_candidates) +
         table.text();
}

// ", then dog (12.34 %)" for the second most probable class.
std::string runner_up_text(const lab::ExplainedModel& model,
                           const NodeExplanation& node) {
  const int64_t second = lab::runner_up(node);
  if (second < 0) return "";
  return fmt::format(", then {} ({} %)", lab::class_name(model, second),
                     percent(node.probabilities.at(second)));
}

}  // namespace

std::string graph_text(const lab::ExplainedModel& model) {
  std::string out = fmt::format("{} on {}", model.options.model, model.dataset);
  if (model.split >= 0) out += fmt::format(", split {}", model.split);
  out += "\n" + parts_text(model) + shares_text(model) + layers_text(model);
  out += listed_text(model, "confident mistake", model.graph.mistakes);
  out += listed_text(model, "unusual shares", model.graph.unusual);
  if (model.importance) out += importance_text(model);
  return out;
}

std::string node_text(const lab::ExplainedModel& model,
                      const NodeExplanation& node) {
  std::string out = fmt::format(
      "Node {}: predicted {} ({} %){}, label {}; {} in-neighbours",
      lab::node_title(model, node.node), lab::class_name(model, node.predicted),
      percent(node.probabilities.at(node.predicted)),
      runner_up_text(model, node), lab::class_name(model, node.label),
      node.degree);
  if (std::isfinite(node.homophily)) {
    out += fmt::format(", {} % of the labelled ones with its label",
                       percent(node.homophily));
  }
  out += "\n";
  const NodeAttribution* const attribution =
      lab::attribution_of(model, node.node);
  if (attribution != nullptr) out += attribution_text(model, *attribution);
  out += fmt::format(
      "\nRooted tree to hop {} (prediction; label where it differs)\n",
      node.depth);
  if (!node.tree.empty()) add_tree(model, node, 0, out);
  return out + hops_text(model, node) + cuts_text(model, node) +
         influences_text(model, node);
}

}  // namespace ordered_gnn::cli
