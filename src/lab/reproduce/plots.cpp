#include "lab/report/plots.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "lab/reproduce/report.h"
#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {
namespace {

// More rows than these have a plot for every column.
constexpr size_t kMostRowsTogether = 4;

// A quick result says so in a few words at the top, and in full in the
// description: a title is one line.
PlotFrame frame_of(const ExperimentResult& result,
                   const std::string& more = "") {
  PlotFrame frame;
  frame.title = result.title + more;
  if (result.quick) {
    frame.description = frame.title + ". " + quick_label() + ".";
    frame.title = "QUICK, not comparable: " + frame.title;
  }
  return frame;
}

bool is_done(const CellResult* cell) {
  return cell != nullptr && cell->status == CellStatus::done;
}

// Every cell of some columns as a row: ours with two standard errors, the
// paper's as a mark.
NamedPlot paper_plot(const ExperimentResult& result,
                     const std::vector<std::string>& columns,
                     const std::string& file) {
  DotPlot plot;
  const bool one = columns.size() < columns_of(result).size();
  plot.frame = frame_of(result, one ? ", " + columns.front() : "");
  const bool times = result.unit == "ms";
  plot.x.title = times ? "milliseconds per epoch" : "test accuracy, %";
  if (times) {
    plot.x.scale = AxisScale::log10;
    plot.value_name = "ours";
  }
  const bool rows = rows_of(result).size() > 1;
  for (const std::string& column : columns) {
    for (const CellResult& cell : result.cells) {
      if (cell.column != column) continue;
      DotRow row;
      row.label = !rows ? column : one ? cell.row : column + ", " + cell.row;
      if (is_done(&cell)) {
        const Statistics ours = describe(cell);
        row.value = ours.mean;
        row.error = 2 * ours.standard_error;
      } else {
        row.note = to_string(cell.status);
      }
      if (cell.published) row.reference = cell.published->mean;
      plot.rows.push_back(std::move(row));
    }
  }
  return {file, dot_plot(plot)};
}

// Ours over depth, and the paper's numbers.
struct DepthLines {
  LineSeries ours, paper;
};

DepthLines depth_lines(const ExperimentResult& result,
                       const std::string& column) {
  DepthLines lines;
  for (const CellResult& cell : result.cells) {
    if (cell.column != column) continue;
    const double depth = std::stod(cell.row);
    if (is_done(&cell)) {
      const Statistics statistics = describe(cell);
      lines.ours.x.push_back(depth);
      lines.ours.y.push_back(statistics.mean);
      lines.ours.error.push_back(2 * statistics.standard_error);
    }
    if (cell.published) {
      lines.paper.x.push_back(depth);
      lines.paper.y.push_back(cell.published->mean);
    }
  }
  return lines;
}

LinePlot empty_depth_plot(const ExperimentResult& result,
                          const std::string& more) {
  LinePlot plot;
  plot.frame = frame_of(result, more);
  plot.x.title = "layers";
  plot.x.scale = AxisScale::log2;
  plot.y.title = "test accuracy, % (bars: two standard errors)";
  return plot;
}

NamedPlot depth_plot(const ExperimentResult& result) {
  LinePlot plot = empty_depth_plot(result, "");
  int color = 0;
  for (const std::string& column : columns_of(result)) {
    DepthLines lines = depth_lines(result, column);
    lines.ours.color = lines.paper.color = color++;
    lines.paper.dashed = true;
    lines.ours.name = column;
    lines.paper.name = column + ", paper";
    if (!lines.ours.x.empty()) plot.series.push_back(std::move(lines.ours));
    if (!lines.paper.x.empty()) plot.series.push_back(std::move(lines.paper));
  }
  return {result.name + ".svg", line_plot(plot)};
}

// Systems on one graph; one with DropEdge is dashed in the colour of the one
// without. The paper's numbers, of one depth alone, are left to the table.
NamedPlot depth_systems_plot(const ExperimentResult& result,
                             const std::string& graph) {
  LinePlot plot = empty_depth_plot(result, ", " + graph);
  std::map<std::string, int> colors;
  for (const std::string& name : columns_of(result)) {
    const DepthColumn column = depth_column(name);
    LineSeries line = depth_lines(result, name).ours;
    if (column.graph != graph || line.x.empty()) continue;
    const std::string plain = column.system.substr(0, column.system.find('+'));
    line.dashed = plain != column.system;
    line.color =
        colors.emplace(plain, static_cast<int>(colors.size())).first->second;
    line.name = column.system.empty() ? kOrderedGnn : column.system;
    plot.series.push_back(std::move(line));
  }
  return {fmt::format("{}-{}.svg", result.name, graph), line_plot(plot)};
}

std::vector<NamedPlot> depth_plots(const ExperimentResult& result) {
  if (!has_depth_systems(result)) return {depth_plot(result)};
  std::vector<NamedPlot> plots;
  for (const std::string& graph : depth_graphs(result)) {
    plots.push_back(depth_systems_plot(result, graph));
  }
  return plots;
}

// Settings as groups, one bar per row.
NamedPlot rows_plot(const ExperimentResult& result, const std::string& file) {
  BarPlot plot;
  plot.frame = frame_of(result);
  plot.y.title = "test accuracy, % (bars: two standard errors)";
  plot.groups = columns_of(result);
  plot.value_digits = 1;
  for (const std::string& row : rows_of(result)) {
    BarSeries series;
    series.name = row;
    for (const std::string& column : plot.groups) {
      const CellResult* const cell = find_cell(result, row, column);
      const Statistics ours = is_done(cell) ? describe(*cell) : Statistics{};
      series.values.push_back(is_done(cell) ? ours.mean : kMissing);
      series.errors.push_back(is_done(cell) ? 2 * ours.standard_error
                                            : kMissing);
    }
    plot.series.push_back(std::move(series));
  }
  return {file, bar_plot(plot)};
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

std::vector<NamedPlot> experiment_plots(const ExperimentResult& result) {
  if (result.name == "gates") return gate_plots(result);
  if (is_over_depth(result)) return depth_plots(result);
  const size_t rows = rows_of(result).size();
  const std::vector<std::string> columns = columns_of(result);
  if (rows > kMostRowsTogether && columns.size() > 1) {
    std::vector<NamedPlot> plots;
    for (const std::string& column : columns) {
      plots.push_back(paper_plot(
          result, {column}, fmt::format("{}-{}.svg", result.name, column)));
    }
    return plots;
  }
  std::vector<NamedPlot> plots = {
      paper_plot(result, columns, result.name + ".svg")};
  if (rows > 1) {
    plots.push_back(rows_plot(result, result.name + "-systems.svg"));
  }
  return plots;
}

}  // namespace ordered_gnn::lab
