#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/report/plots.h"
#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiments/experiments.h"

namespace ordered_gnn::lab {
namespace {

// Graphs in the order of the columns.
std::vector<std::string> depth_graphs(const ExperimentResult& result) {
  std::vector<std::string> graphs;
  for (const std::string& column : columns_of(result)) {
    const std::string graph = depth_column(column).graph;
    if (std::find(graphs.begin(), graphs.end(), graph) == graphs.end()) {
      graphs.push_back(graph);
    }
  }
  return graphs;
}

// Systems by depths on one graph, "ours (paper)".
ReportTable depth_systems_table(const ExperimentResult& result,
                                const std::string& graph) {
  std::vector<std::string> header = {graph};
  for (const std::string& depth : rows_of(result)) header.push_back(depth);
  ReportTable table(header);
  for (const std::string& name : columns_of(result)) {
    const DepthColumn column = depth_column(name);
    if (column.graph != graph) continue;
    std::vector<std::string> line = {column.system.empty() ? kOrderedGnn
                                                           : column.system};
    for (const std::string& depth : rows_of(result)) {
      line.push_back(
          ours_and_paper(find_cell(result, depth, name), result.unit));
    }
    table.add(std::move(line));
  }
  return table;
}

std::vector<ReportTable> depth_tables(const ExperimentResult& result) {
  if (!has_depth_systems(result)) return comparison_alone(result);
  std::vector<ReportTable> tables;
  for (const std::string& graph : depth_graphs(result)) {
    tables.push_back(depth_systems_table(result, graph));
  }
  return tables;
}

std::string depth_summary_markdown(const ExperimentResult& result) {
  return captioned("What depth does, by the means:", depth_table(result));
}

// Systems by depths, a table for every graph; all numbers are in table.csv.
std::string depth_systems_markdown(const ExperimentResult& result) {
  std::string text;
  for (const std::string& graph : depth_graphs(result)) {
    text += captioned(
        fmt::format("Test accuracy on {} by the number of layers, mean ± "
                    "sample deviation over the runs (the paper's in "
                    "brackets), %:",
                    graph),
        depth_systems_table(result, graph));
  }
  return text + depth_summary_markdown(result);
}

std::string depth_markdown(const ExperimentResult& result) {
  if (has_depth_systems(result)) return depth_systems_markdown(result);
  return compared_markdown(result) + depth_summary_markdown(result) +
         pairs_markdown(result);
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

}  // namespace

ExperimentReport depth_report() {
  ExperimentReport report;
  report.row_heading = "layers";
  report.over_depth = true;
  report.terminal = &depth_tables;
  report.markdown = &depth_markdown;
  report.plots = &depth_plots;
  return report;
}

}  // namespace ordered_gnn::lab
