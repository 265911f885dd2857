#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostShownClasses = 30;

// The largest classes, in their own order.
std::vector<size_t> shown_classes(const PartScores& part) {
  std::vector<size_t> order(part.classes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return part.classes[a].support > part.classes[b].support;
  });
  order.resize(std::min(order.size(), kMostShownClasses));
  std::sort(order.begin(), order.end());
  return order;
}

std::string class_at(const ExplainedModel& model, size_t c) {
  return class_name(model, static_cast<int64_t>(c));
}

// Rows and columns are the shown classes and, where some are not shown,
// "other".
HeatMap confusion_map(const ExplainedModel& model, const PartScores& part) {
  const std::vector<size_t> shown = shown_classes(part);
  const size_t classes = part.classes.size();
  const bool pooled = shown.size() < classes;
  const size_t size = shown.size() + (pooled ? 1 : 0);
  std::vector<size_t> place(classes, shown.size());
  HeatMap plot;
  for (size_t i = 0; i < shown.size(); ++i) {
    place[shown[i]] = i;
    plot.rows.push_back(class_at(model, shown[i]));
  }
  if (pooled) plot.rows.emplace_back("other");
  plot.columns = plot.rows;
  plot.values.assign(size, std::vector<double>(size, 0));
  for (size_t r = 0; r < classes; ++r) {
    for (size_t c = 0; c < classes; ++c) {
      plot.values[place[r]][place[c]] +=
          static_cast<double>(part.confusion[r * classes + c]);
    }
  }
  for (const std::vector<double>& row : plot.values) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    plot.strengths.emplace_back();
    for (const double value : row) {
      plot.strengths.back().push_back(sum > 0 ? value / sum : 0);
    }
  }
  return plot;
}

PageFigure confusion_figure(const ExplainedModel& model,
                            const PartScores& part) {
  HeatMap plot = confusion_map(model, part);
  plot.frame.title = fmt::format("Confusion matrix, {} nodes", part.name);
  plot.x_title = "predicted class";
  plot.y_title = "label";
  plot.strength_name = "of the label's nodes";
  std::vector<std::string> header = {"label"};
  header.insert(header.end(), plot.columns.begin(), plot.columns.end());
  ReportTable numbers(header);
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    std::vector<std::string> row = {plot.rows[r]};
    for (const double value : plot.values[r]) row.push_back(number_text(value));
    numbers.add(std::move(row));
  }
  return {
      "confusion", heat_map(plot),
      "Nodes of a label in a row, by what they are predicted as; the colour "
      "is the share of the row.",
      numbers};
}

PageFigure class_figure(const ExplainedModel& model, const PartScores& part) {
  BarPlot plot;
  plot.frame.title = fmt::format("Scores per class, {} nodes", part.name);
  plot.frame.width = 1040;
  plot.frame.height = 340;
  plot.x_title = "class";
  plot.y = {"%", AxisScale::linear, 0, 100};
  plot.series = {{"precision", {}, {}}, {"recall", {}, {}}, {"F1", {}, {}}};
  ReportTable numbers(
      {"class", "nodes", "predicted", "precision", "recall", "F1"});
  for (const size_t c : shown_classes(part)) {
    const ClassScores& scores = part.classes[c];
    plot.groups.push_back(class_at(model, c));
    plot.series[0].values.push_back(100 * scores.precision);
    plot.series[1].values.push_back(100 * scores.recall);
    plot.series[2].values.push_back(100 * scores.f1);
  }
  for (size_t c = 0; c < part.classes.size(); ++c) {
    const ClassScores& scores = part.classes[c];
    numbers.add({class_at(model, c), std::to_string(scores.support),
                 std::to_string(scores.predicted),
                 percent_text(scores.precision), percent_text(scores.recall),
                 percent_text(scores.f1)});
  }
  return {"class-scores", bar_plot(plot),
          "Precision: how many of the nodes predicted as the class are of it. "
          "Recall: how many of its nodes are found. F1: their harmonic mean.",
          numbers};
}

PageFigure calibration_figure(const PartScores& part) {
  ReliabilityDiagram plot;
  plot.frame =
      half_width_frame(fmt::format("Calibration, {} nodes", part.name));
  plot.frame.height = 440;
  plot.note = fmt::format("expected calibration error {} %",
                          percent_text(part.calibration_error));
  ReportTable numbers({"from", "to", "nodes", "mean confidence", "accuracy"});
  for (const CalibrationBin& bin : part.calibration) {
    plot.bins.push_back({bin.low, bin.high, bin.confidence, bin.accuracy,
                         static_cast<double>(bin.nodes)});
    numbers.add({number_text(bin.low), number_text(bin.high),
                 std::to_string(bin.nodes), percent_text(bin.confidence),
                 percent_text(bin.accuracy)});
  }
  return {"calibration", reliability_diagram(plot),
          "Bars that end on the dashed line belong to a model that is as often "
          "right as it is sure.",
          numbers};
}

// Of the test part, or of all labelled nodes where there is none.
PageFigure group_figure(const std::vector<NodeGroup>& groups,
                        const std::string& name, const std::string& by) {
  const bool tested =
      std::any_of(groups.begin(), groups.end(),
                  [](const NodeGroup& group) { return group.tested > 0; });
  BarPlot plot;
  plot.frame =
      half_width_frame((tested ? "Test accuracy by " : "Accuracy by ") + by);
  plot.frame.height = 320;
  plot.x_title = by;
  plot.y = {tested ? "test accuracy, %" : "accuracy, %", AxisScale::linear, 0,
            100};
  plot.series = {{"", {}, {}}};
  ReportTable numbers({by, "nodes", "labelled", "accuracy, %", "test nodes",
                       "test accuracy, %"});
  for (const NodeGroup& group : groups) {
    if (group.labelled == 0) continue;
    plot.groups.push_back(group.name);
    plot.series[0].values.push_back(
        100 * (tested ? group.test_accuracy : group.accuracy));
    numbers.add({group.name, std::to_string(group.nodes),
                 std::to_string(group.labelled), percent_text(group.accuracy),
                 std::to_string(group.tested),
                 percent_text(group.test_accuracy)});
  }
  return {name, bar_plot(plot),
          tested ? "Groups without a test node have no bar."
                 : "All labelled nodes.",
          numbers};
}

}  // namespace

const PartScores& main_part(const GraphExplanation& graph) {
  for (const PartScores& part : graph.parts) {
    if (part.name == "test" && part.labelled > 0) return part;
  }
  return graph.part("all");
}

std::vector<PageFigure> score_figures(const ExplainedModel& model) {
  const PartScores& part = main_part(model.graph);
  std::vector<PageFigure> out;
  if (part.labelled == 0) return out;
  if (!part.confusion.empty()) out.push_back(confusion_figure(model, part));
  out.push_back(calibration_figure(part));
  out.push_back(class_figure(model, part));
  out.push_back(group_figure(model.graph.by_homophily, "accuracy-by-homophily",
                             "local homophily"));
  out.push_back(group_figure(model.graph.by_degree, "accuracy-by-degree",
                             "number of in-neighbours"));
  return out;
}

}  // namespace ordered_gnn::lab
