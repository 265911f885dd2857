#pragma once
#include <string>
#include <vector>

#include "lab/page/explained_model.h"
#include "lab/report/page.h"
#include "lab/report/plots.h"

namespace ordered_gnn::lab {

/// Loss and accuracies over the epochs; none without curves.
/// @param prefix  of the figures' names, for pages with several runs.
std::vector<PageFigure> curve_figures(const std::vector<Json>& curves,
                                      const std::string& prefix = "");

/// The part that a page is about: test where labels are there, else all nodes.
const PartScores& main_part(const GraphExplanation& graph);

/// Confusion matrix, scores per class and calibration of the main part, and
/// accuracy by homophily and degree.
std::vector<PageFigure> score_figures(const ExplainedModel& model);

/// Hop shares of the graph and its parts, by class, homophily and degree; none
/// without shares.
std::vector<PageFigure> hop_figures(const ExplainedModel& model);

struct HopFigure {
  std::string name, title;
  std::string by;  ///< what the groups are
  std::string caption;
};
/// Mean hop shares of groups, `num_shares` each; groups without nodes are left
/// out.
PageFigure hop_figure(const std::vector<NodeGroup>& groups,
                      const HopFigure& about, size_t num_shares);

/// Gate values and where the splits are, by layer; none without gates.
std::vector<PageFigure> gate_figures(const ExplainedModel& model);

/// How far apart states are, by layer; none without layers.
std::vector<PageFigure> depth_figures(const ExplainedModel& model);

/// Hops put together so that a plot shows at most about ten: hops 0 to 8
/// singly in a model of no more, else 0 to 4, 5-8, 9-16, 17-32, ...
struct HopRange {
  std::string name;
  size_t first = 0;
  size_t last = 0;  ///< inclusive
};
std::vector<HopRange> hop_ranges(size_t num_shares);

/// A frame that fits two in a row of a page at its own size.
PlotFrame half_width_frame(const std::string& title);

/// "84.32" for 0.8432; "-" for NaN.
std::string percent_text(double fraction);
/// "38,068".
std::string count_text(int64_t count);
/// Six digits at most; empty for NaN.
std::string number_text(double value);

}  // namespace ordered_gnn::lab
