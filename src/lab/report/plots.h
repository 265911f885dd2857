#pragma once
#include <limits>
#include <string>
#include <vector>

#include "ordered_gnn/core/box_tails.h"
#include "ordered_gnn/core/five_numbers.h"

/// Plots as SVG text, from plain numbers. All of them are pure functions: the
/// same input gives the same bytes.
///
/// Numbers that are not finite, or beyond 1e100, are missing: they leave a gap,
/// no mark and no bar, and do not count for the range of an axis. A plot
/// without a single number is an empty frame that says "no data". Where all
/// values are equal the axis reaches a little to both sides. Nothing is left
/// out for being too much; marks of lines with more than a hundred points are
/// fewer and show under the pointer alone. An error of NaN or 0 is not drawn.
///
/// All throw Error when lists that belong together have different lengths, or
/// when a given size or range cannot be.
namespace ordered_gnn::lab {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// What every plot has. Width and height are in pixels; 0 stands for a size
/// that suits the content.
struct PlotFrame {
  std::string title;
  /// For screen readers; a sentence made from the content when empty.
  std::string description;
  double width = 0;
  double height = 0;
};

enum class AxisScale {
  linear,
  log2,   ///< ticks at powers of two; values of 0 and below are missing
  log10,  ///< the same with powers of ten
};

struct PlotAxis {
  std::string title;
  AxisScale scale = AxisScale::linear;
  /// Range; missing ends follow from the values, rounded to ticks.
  double min = kMissing;
  double max = kMissing;
  bool whole = false;  ///< linear: ticks at whole numbers alone
};

enum class ErrorMark { bars, band };

struct LineSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  /// Half the height of the error bar or band per point; may be empty.
  std::vector<double> error;
  ErrorMark error_mark = ErrorMark::bars;
  bool dashed = false;
  /// Place in the palette, for series that belong together; -1: the next one.
  int color = -1;
  /// Whether points of a line are marked; if not, some show their values under
  /// the pointer. A point that no line touches always is.
  bool marks = true;
};

/// Lines over a common x axis. Points are joined in the order given. The legend
/// stands right of the plot and is left out for one nameless series.
struct LinePlot {
  PlotFrame frame;
  PlotAxis x;
  PlotAxis y;
  std::vector<LineSeries> series;
};
std::string line_plot(const LinePlot& plot);

struct BarSeries {
  std::string name;
  std::vector<double> values;  ///< one per group
  std::vector<double> errors;  ///< half the height of the bar; may be empty
};

/// Bars in groups: groups along the x axis, one bar per series in each. Bars
/// stand on 0, or on the lower end of the axis where that is above 0: with
/// `y.min` given the heights are no longer in proportion, the values are still
/// read off the axis. `y.scale` must be linear. Bars beyond the range are cut.
struct BarPlot {
  PlotFrame frame;
  std::string x_title;  ///< what the groups are
  PlotAxis y;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  /// Digits after the point of the value written above a bar, where it fits;
  /// -1 for none.
  int value_digits = -1;
};
std::string bar_plot(const BarPlot& plot);

struct BoxPanel {
  std::string title;
  std::vector<FiveNumbers> boxes;  ///< from left to right
  /// Whiskers and outliers of the boxes: one per box, or none at all.
  std::vector<BoxTails> tails;
};

/// Small multiples of box plots that share both axes: whiskers from minimum to
/// maximum, a box between the quartiles, a line at the median. In a panel with
/// tails the whiskers end where those say, and outliers are marks; a tail with
/// a number missing leaves its box the long whiskers. Boxes of a panel are
/// numbered from 1. A box with a number missing is left out.
struct BoxPlotGrid {
  PlotFrame frame;
  std::string x_title;
  PlotAxis y{"", AxisScale::linear, 0, 1};
  std::vector<BoxPanel> panels;
  int columns = 0;  ///< panels in a row; 0: as square as looks well
};
std::string box_plot_grid(const BoxPlotGrid& plot);

struct ParallelAxis {
  std::string name;
  AxisScale scale = AxisScale::linear;
  /// When given, values are places in this list, and it is shown in its order.
  std::vector<std::string> categories;
};

struct ParallelLine {
  std::vector<double> values;  ///< one per axis
  double objective = kMissing;
};

/// Trials of a search: one vertical axis per dimension and one more for the
/// objective, one line per trial, stronger in colour the better its objective;
/// the best one (the first of equals) is drawn on top. Lines without an
/// objective are faint and at the back. A missing value, or a category that is
/// not in the list, breaks the line.
struct ParallelPlot {
  PlotFrame frame;
  std::string objective_name;
  bool higher_is_better = true;
  std::vector<ParallelAxis> axes;
  std::vector<ParallelLine> lines;
};
std::string parallel_coordinates(const ParallelPlot& plot);

struct DotRow {
  std::string label;
  double value = kMissing;
  double error = kMissing;      ///< half the length of its bar
  double reference = kMissing;  ///< a second mark
  std::string note;             ///< short text at the right end of the row
};

/// Rows with a value, its error bar and a value to compare with.
struct DotPlot {
  PlotFrame frame;
  PlotAxis x;
  std::string value_name = "ours ± 2 SE";
  std::string reference_name = "paper";
  std::string note_title;  ///< above the notes
  std::vector<DotRow> rows;
};
std::string dot_plot(const DotPlot& plot);

struct RowBar {
  std::string label;
  double value = kMissing;
  double error = kMissing;  ///< half the length of its error bar
};

/// Bars that lie: one row each, from top to bottom, from 0 to the right or, for
/// values below 0, to the left. `x.scale` must be linear.
struct RowBars {
  PlotFrame frame;
  PlotAxis x;
  std::vector<RowBar> rows;
  int value_digits = 2;  ///< after the point, of values in tooltips
  std::string unit;      ///< after them: " points"
};
std::string row_bars(const RowBars& plot);

struct StackedSeries {
  std::string name;
  std::vector<double> values;  ///< one per row, at least 0
};

/// Rows of bars that are made of parts, one part per series, from left to right
/// in the order of the series. The parts of a row should add up to the same
/// number in every row; nothing is rescaled. A row that has a negative part is
/// an error, a missing part has no length.
struct StackedBars {
  PlotFrame frame;
  PlotAxis x{"", AxisScale::linear, 0, kMissing};
  std::vector<std::string> rows;
  std::vector<StackedSeries> series;
  /// The series are steps of an order, such as hops: the first one has a colour
  /// of its own, the others shades from faint to strong.
  bool ordered = false;
  /// Short text at the right end of a row, such as its size; may be empty.
  std::vector<std::string> notes;
  int value_digits = 0;  ///< after the point, of values in tooltips
  std::string unit;      ///< after them: " %"
};
std::string stacked_bars(const StackedBars& plot);

/// A table of coloured cells, such as a confusion matrix. A missing value
/// leaves its cell empty.
struct HeatMap {
  PlotFrame frame;
  std::string x_title;
  std::string y_title;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<double>> values;  ///< per row, one per column
  /// How strong a cell is, from 0 to 1, in the shape of `values`; when empty,
  /// the value's part of the largest value.
  std::vector<std::vector<double>> strengths;
  std::string strength_name;  ///< what it is, in tooltips: "of its row"
  int value_digits = 0;       ///< of the number in a cell, where it fits
};
std::string heat_map(const HeatMap& plot);

/// Predictions of about the same confidence.
struct ReliabilityBin {
  double low = 0, high = 0;  ///< ends of the bin, in [0, 1]
  double confidence = kMissing;
  double accuracy = kMissing;
  double count = 0;
};

/// How often predictions are right, over how sure they are: a bar per bin, the
/// distance to its mean confidence, the diagonal of a calibrated model, and
/// below it the share of nodes in each bin. Bins without nodes are left out.
struct ReliabilityDiagram {
  PlotFrame frame;
  std::vector<ReliabilityBin> bins;
  std::string note;  ///< in the upper left corner, such as the total error
};
std::string reliability_diagram(const ReliabilityDiagram& plot);

}  // namespace ordered_gnn::lab
