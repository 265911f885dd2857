#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/report/plots.h"
#include "lab/reproduce/experiments/experiments.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

ReportTable layers_by_graphs(const Json& gates, const std::string& key,
                             double factor) {
  std::vector<std::string> header = {"layer"};
  size_t most = 0;
  for (const Json& model : gates) {
    header.push_back(model.at("column"));
    most = std::max(most, model.at("layers").size());
  }
  ReportTable table(header);
  for (size_t i = 0; i < most; ++i) {
    std::vector<std::string> line = {std::to_string(i + 1)};
    for (const Json& model : gates) {
      const Json& layers = model.at("layers");
      line.push_back(
          i < layers.size()
              ? fmt::format("{:.1f}", factor * layers[i].at(key).get<double>())
              : "");
    }
    table.add(std::move(line));
  }
  return table;
}

ReportTable split_table(const Json& gates) {
  return layers_by_graphs(gates, "mean_expected_split", 1);
}

ReportTable saturation_table(const Json& gates) {
  return layers_by_graphs(gates, "saturated", 100);
}

std::vector<ReportTable> gate_tables(const ExperimentResult& result) {
  std::vector<ReportTable> tables = comparison_alone(result);
  if (result.gates.is_array()) tables.push_back(split_table(result.gates));
  return tables;
}

std::string gates_markdown(const ExperimentResult& result) {
  const std::string numbers = numbers_markdown(result);
  if (!result.gates.is_array()) return numbers;
  return numbers +
         captioned(
             "Mean expected split point, in neurons: how many a node keeps for "
             "itself after each layer.",
             split_table(result.gates)) +
         captioned("Share of gates above 0.99, %:",
                   saturation_table(result.gates));
}

BoxPanel gate_panel(const Json& layer, size_t number) {
  BoxPanel panel;
  panel.title = fmt::format("layer {}", number);
  for (const Json& box : layer.at("boxes")) {
    panel.boxes.push_back(
        {box.at(0), box.at(1), box.at(2), box.at(3), box.at(4)});
  }
  return panel;
}

std::vector<NamedPlot> gate_plots(const ExperimentResult& result) {
  std::vector<NamedPlot> plots;
  LinePlot splits;
  splits.frame = frame_of(result, ": where the ego's part ends");
  splits.x.title = "layer";
  splits.y.title = "mean expected split point, share of the width";
  splits.y.min = 0;
  splits.y.max = 1;
  for (const Json& model : result.gates) {
    const std::string column = model.at("column");
    // A picture is called by it.
    if (column.find('/') != std::string::npos) {
      fail("the gates of column '{}' cannot be drawn: its name holds a '/'",
           column);
    }
    BoxPlotGrid grid;
    grid.frame = frame_of(result, ": " + column);
    grid.x_title = "gate, from the first neurons to the last";
    grid.y.title = "gate";
    LineSeries series;
    series.name = column;
    for (const Json& layer : model.at("layers")) {
      grid.panels.push_back(gate_panel(layer, grid.panels.size() + 1));
      series.x.push_back(static_cast<double>(grid.panels.size()));
      series.y.push_back(layer.at("mean_expected_split").get<double>() /
                         model.at("hidden").get<double>());
    }
    plots.push_back({fmt::format("gates-{}.svg", column), box_plot_grid(grid)});
    splits.series.push_back(std::move(series));
  }
  if (!plots.empty()) plots.push_back({"gates.svg", line_plot(splits)});
  return plots;
}

}  // namespace

ExperimentReport gates_report() {
  ExperimentReport report;
  report.terminal = &gate_tables;
  report.markdown = &gates_markdown;
  report.plots = &gate_plots;
  return report;
}

}  // namespace ordered_gnn::lab
