#include "lab/reproduce/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/report/score_text.h"
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

// More rows than these have a plot for every column.
constexpr size_t kMostRowsTogether = 4;

// "test accuracy, %", or the one metric that all cells of these columns have.
std::string score_title(const ExperimentResult& result,
                        const std::vector<std::string>& columns) {
  std::set<Metric> metrics;
  for (const CellResult& cell : result.cells) {
    if (std::count(columns.begin(), columns.end(), cell.column) > 0) {
      metrics.insert(cell.metric);
    }
  }
  if (metrics.size() > 1) return "test score, %";
  return "test " +
         score_heading(metrics.empty() ? Metric::accuracy : *metrics.begin());
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
  plot.x.title =
      times ? "milliseconds per epoch" : score_title(result, columns);
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

// Settings as groups, one bar per row.
NamedPlot rows_plot(const ExperimentResult& result, const std::string& file) {
  BarPlot plot;
  plot.frame = frame_of(result);
  plot.groups = columns_of(result);
  plot.y.title =
      score_title(result, plot.groups) + " (bars: two standard errors)";
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

}  // namespace

PlotFrame frame_of(const ExperimentResult& result, const std::string& more) {
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

std::vector<NamedPlot> experiment_plots(const ExperimentResult& result) {
  return report_of(result).plots(result);
}

std::vector<NamedPlot> paper_plots(const ExperimentResult& result) {
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
