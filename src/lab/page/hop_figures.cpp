#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostGroups = 40;

ReportTable share_numbers(const std::vector<NodeGroup>& groups,
                          const std::string& by, size_t num_shares) {
  std::vector<std::string> header = {by, "nodes"};
  for (size_t k = 0; k < num_shares; ++k) {
    header.push_back(fmt::format("hop {}, %", k));
  }
  size_t gated = 0;
  for (const NodeGroup& group : groups) {
    gated = std::max(gated, group.open_gates.size());
  }
  for (size_t k = 1; k <= gated; ++k) {
    header.push_back(fmt::format("open gates of layer {}, %", k));
  }
  ReportTable numbers(header);
  for (const NodeGroup& group : groups) {
    std::vector<std::string> row = {group.name, std::to_string(group.nodes)};
    for (const double share : group.hop_shares) {
      row.push_back(percent_text(share));
    }
    for (const double share : group.open_gates) {
      row.push_back(percent_text(share));
    }
    numbers.add(std::move(row));
  }
  return numbers;
}

// Groups that have nodes; of very many the largest.
std::vector<const NodeGroup*> shown_groups(
    const std::vector<NodeGroup>& groups) {
  std::vector<const NodeGroup*> out;
  for (const NodeGroup& group : groups) {
    if (group.nodes > 0 && !group.hop_shares.empty()) out.push_back(&group);
  }
  if (out.size() <= kMostGroups) return out;
  std::stable_sort(out.begin(), out.end(),
                   [](const NodeGroup* a, const NodeGroup* b) {
                     return a->nodes > b->nodes;
                   });
  out.resize(kMostGroups);
  return out;
}

}  // namespace

PageFigure hop_figure(const std::vector<NodeGroup>& groups,
                      const HopFigure& about, size_t num_shares) {
  StackedBars plot;
  plot.frame = half_width_frame(about.title);
  plot.x = {"share of the neurons, %", AxisScale::linear, 0, 100};
  plot.ordered = true;
  plot.value_digits = 1;
  plot.unit = " %";
  const std::vector<HopRange> ranges = hop_ranges(num_shares);
  for (const HopRange& range : ranges) plot.series.push_back({range.name, {}});
  for (const NodeGroup* group : shown_groups(groups)) {
    plot.rows.push_back(group->name);
    plot.notes.push_back(fmt::format("{} nodes", group->nodes));
    for (size_t s = 0; s < ranges.size(); ++s) {
      const auto begin = group->hop_shares.begin();
      plot.series[s].values.push_back(
          100 * std::accumulate(
                    begin + static_cast<std::ptrdiff_t>(ranges[s].first),
                    begin + static_cast<std::ptrdiff_t>(ranges[s].last + 1),
                    0.0));
    }
  }
  return {about.name, stacked_bars(plot), about.caption,
          share_numbers(groups, about.by, num_shares)};
}

std::vector<PageFigure> hop_figures(const ExplainedModel& model) {
  const GraphExplanation& graph = model.graph;
  const size_t num_shares = graph.all.hop_shares.size();
  if (num_shares == 0) return {};
  std::vector<NodeGroup> parts = {graph.all};
  parts.insert(parts.end(), graph.by_part.begin(), graph.by_part.end());
  return {
      hop_figure(parts,
                 {"hops", "Hop shares of the graph", "nodes",
                  "How many of a node's neurons are left to the node itself "
                  "and to each hop, on average."},
                 num_shares),
      hop_figure(graph.by_class,
                 {"hops-by-class", "Hop shares by class", "class",
                  "By label; unlabelled nodes are left out."},
                 num_shares),
      hop_figure(graph.by_homophily,
                 {"hops-by-homophily", "Hop shares by local homophily",
                  "local homophily",
                  "By the share of a node's labelled in-neighbours that have "
                  "its label. Where neighbours disagree, a model that has "
                  "learnt to tell keeps more to the node itself."},
                 num_shares),
      hop_figure(graph.by_degree,
                 {"hops-by-degree", "Hop shares by number of in-neighbours",
                  "in-neighbours", "In-neighbours other than the node itself."},
                 num_shares)};
}

}  // namespace ordered_gnn::lab
