#include <fmt/format.h>

#include <algorithm>

#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostGateLayers = 16;
// Boxes from which on a plot shows the ends of the outliers alone.
constexpr size_t kManyBoxes = 512;

std::vector<const LayerExplanation*> gated_layers(
    const GraphExplanation& graph) {
  std::vector<const LayerExplanation*> out;
  for (const LayerExplanation& layer : graph.layers) {
    if (layer.gates) out.push_back(&layer);
  }
  return out;
}

// All, or some at even places, the first and the last among them.
std::vector<const LayerExplanation*> shown_layers(
    const std::vector<const LayerExplanation*>& layers) {
  if (layers.size() <= kMostGateLayers) return layers;
  std::vector<const LayerExplanation*> out;
  for (size_t i = 0; i < kMostGateLayers; ++i) {
    out.push_back(layers[i * (layers.size() - 1) / (kMostGateLayers - 1)]);
  }
  return out;
}

BoxTails trimmed(BoxTails tails, bool many) {
  if (many && tails.sample.size() > 2) {
    tails.sample = {tails.sample.front(), tails.sample.back()};
  }
  return tails;
}

PageFigure box_figure(const std::vector<const LayerExplanation*>& layers,
                      Directions directions) {
  BoxPlotGrid plot;
  plot.frame.title = "Gate values by layer";
  plot.x_title = "gate, from the first neurons to the last";
  plot.y.title = "gate";
  ReportTable numbers({"layer", "gate", "minimum", "lower whisker",
                       "quartile 1", "median", "quartile 3", "upper whisker",
                       "maximum", "outliers", "mean", "share open"});
  for (const LayerExplanation* layer : layers) {
    size_t gate = 0;
    for (const GateSummary& one : layer->gates->gates) {
      numbers.add({std::to_string(layer->layer), std::to_string(++gate),
                   number_text(one.numbers.min), number_text(one.tails.low),
                   number_text(one.numbers.q1), number_text(one.numbers.median),
                   number_text(one.numbers.q3), number_text(one.tails.high),
                   number_text(one.numbers.max),
                   std::to_string(one.tails.num_outliers),
                   number_text(one.mean), number_text(one.saturated)});
    }
  }
  const std::vector<const LayerExplanation*> shown = shown_layers(layers);
  const size_t boxes = shown.size() * layers[0]->gates->gates.size();
  for (const LayerExplanation* layer : shown) {
    BoxPanel panel;
    panel.title = fmt::format("layer {}", layer->layer);
    for (const GateSummary& one : layer->gates->gates) {
      panel.boxes.push_back(one.numbers);
      panel.tails.push_back(trimmed(one.tails, boxes > kManyBoxes));
    }
    plot.panels.push_back(std::move(panel));
  }
  std::string caption =
      "A gate near 1 leaves its neurons as they are, a gate near 0 fills them "
      "with what comes from the neighbours. Boxes are quartiles over all "
      "nodes, whiskers reach 1.5 times their distance, marks are nodes beyond.";
  if (directions == Directions::split) {
    caption +=
        " The first half of the gates is about in-neighbours, the second about "
        "out-neighbours.";
  }
  if (shown.size() < layers.size()) {
    caption +=
        fmt::format(" {} of {} layers are drawn.", shown.size(), layers.size());
  }
  return {"gates", box_plot_grid(plot), caption, numbers};
}

struct GateLine {
  std::string name, title, y, caption;
};

// One number of a layer, in per cent, over the layers.
template <typename Value>
PageFigure gate_line(const std::vector<const LayerExplanation*>& layers,
                     const GateLine& about, const Value& value) {
  LinePlot plot;
  plot.frame = half_width_frame(about.title);
  plot.frame.height = 320;
  plot.x.title = "layer";
  plot.x.whole = true;
  plot.y = {about.y, AxisScale::linear, 0, 100};
  plot.series.resize(1);
  ReportTable numbers({"layer", about.y});
  for (const LayerExplanation* layer : layers) {
    plot.series[0].x.push_back(static_cast<double>(layer->layer));
    plot.series[0].y.push_back(100 * value(*layer));
    numbers.add({std::to_string(layer->layer), percent_text(value(*layer))});
  }
  return {about.name, line_plot(plot), about.caption, numbers};
}

}  // namespace

std::vector<PageFigure> gate_figures(const ExplainedModel& model) {
  const std::vector<const LayerExplanation*> layers = gated_layers(model.graph);
  if (layers.empty() || layers[0]->gates->gates.empty()) return {};
  return {
      box_figure(layers, model.options.network.directions),
      gate_line(layers,
                {"splits", "Expected split", "neurons left as they are, %",
                 "Mean share of its neurons that a layer leaves as they are."},
                [](const LayerExplanation& layer) {
                  return layer.gates->mean_expected_split /
                         std::max<double>(static_cast<double>(layer.width), 1);
                }),
      gate_line(layers,
                {"open-gates", "Open gates", "gates above 0.99, %",
                 "Gates that leave their neurons as they are."},
                [](const LayerExplanation& layer) {
                  return layer.gates->saturated;
                })};
}

}  // namespace ordered_gnn::lab
