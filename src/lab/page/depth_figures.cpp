
#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

LineSeries spread_series(const ExplainedModel& model, const std::string& name,
                         double LayerSpread::*field) {
  LineSeries series;
  series.name = name;
  for (const LayerExplanation& layer : model.graph.layers) {
    series.x.push_back(static_cast<double>(layer.layer));
    series.y.push_back(layer.spread.*field);
  }
  return series;
}

PageFigure spread_figure(const ExplainedModel& model, const std::string& name,
                         const std::string& title, const std::string& y,
                         std::vector<LineSeries> series,
                         const std::string& caption) {
  LinePlot plot;
  plot.frame = half_width_frame(title);
  plot.frame.height = 320;
  plot.x.title = "layer (0: before the first message)";
  plot.x.whole = true;
  plot.y.title = y;
  if (name != "cosine") plot.y.min = 0;
  plot.series = std::move(series);
  std::vector<std::string> header = {"layer"};
  for (const LineSeries& one : plot.series) {
    header.push_back(one.name.empty() ? y : one.name);
  }
  ReportTable numbers(header);
  for (size_t i = 0; i < model.graph.layers.size(); ++i) {
    std::vector<std::string> row = {
        std::to_string(model.graph.layers[i].layer)};
    for (const LineSeries& one : plot.series) {
      row.push_back(number_text(one.y[i]));
    }
    numbers.add(std::move(row));
  }
  return {name, line_plot(plot), caption, numbers};
}

}  // namespace

std::vector<PageFigure> depth_figures(const ExplainedModel& model) {
  if (model.graph.layers.empty()) return {};
  return {
      spread_figure(
          model, "distance", "Mean distance of two nodes", "distance",
          {spread_series(model, "", &LayerSpread::mean_distance)},
          "Mean length of the difference of two nodes' states. A model that "
          "over-smooths loses it layer by layer."),
      spread_figure(
          model, "energy", "Dirichlet energy", "energy per edge",
          {spread_series(model, "", &LayerSpread::dirichlet_energy)},
          "Mean squared length of the difference of the states of two "
          "neighbours."),
      spread_figure(
          model, "smoothing", "The same, free of scale", "ratio",
          {spread_series(model, "distance / norm",
                         &LayerSpread::relative_distance),
           spread_series(model, "neighbours / all pairs",
                         &LayerSpread::relative_energy)},
          "Distance over the mean length of a state; and squared distances of "
          "neighbours over those of any two nodes: 1 where neighbours are no "
          "closer than others, near 0 where they are alike."),
      spread_figure(model, "cosine", "Mean cosine of two nodes", "cosine",
                    {spread_series(model, "", &LayerSpread::mean_cosine)},
                    "Of the angle between two nodes' states, over all pairs: "
                    "1 where all states point the same way.")};
}

}  // namespace ordered_gnn::lab
