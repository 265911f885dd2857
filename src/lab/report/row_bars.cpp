#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/row_labels.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kLyingRow = 24;
constexpr double kLyingBar = 0.66;  // of its row

void draw_lying_bar(SvgWriter& svg, const RowBars& plot, const RowBar& row,
                    const Scale& x, double middle, double height) {
  if (!is_shown(row.value, AxisScale::linear)) return;
  const bool has_error =
      is_shown(row.error, AxisScale::linear) && row.error != 0;
  const double zero = x.clamped(0), end = x.clamped(row.value);
  svg.rect(
      {std::min(zero, end), middle - height / 2, std::fabs(end - zero), height},
      row.value < 0 ? "og-bar og-s1" : "og-bar og-s0",
      fmt::format("{}: {:.{}f}{}{}", row.label, row.value, plot.value_digits,
                  has_error
                      ? fmt::format(" ± {:.{}f}", row.error, plot.value_digits)
                      : "",
                  plot.unit));
  if (!has_error) return;
  const double size = std::fabs(row.error);
  const double from = x.clamped(row.value - size);
  const double to = x.clamped(row.value + size);
  svg.line({from, middle}, {to, middle}, "og-error");
  for (const double cap : {from, to}) {
    svg.line({cap, middle - 4}, {cap, middle + 4}, "og-error");
  }
}

}  // namespace

std::string row_bars(const RowBars& plot) {
  if (plot.x.scale != AxisScale::linear) {
    fail("bars begin at 0, which a logarithmic axis does not show");
  }
  const auto rows = static_cast<double>(std::max<size_t>(plot.rows.size(), 1));
  const double top = title_height(plot.frame);
  const double below = x_axis_height(plot.x.title);
  const PlotFrame frame =
      sized(plot.frame, 640, std::max(top + rows * kLyingRow + below, 120.0));
  std::vector<std::string> labels;
  ValueRange values;
  for (const RowBar& row : plot.rows) {
    labels.push_back(row.label);
    values.add(row.value, row.error);
  }
  const bool is_empty = values.empty();
  values.add(0);
  Scale x(plot.x, values, AxisMargin::to_ticks, 6);
  const double left = row_labels_width(labels, frame.width);
  const SvgRect area = {left, top, std::max(frame.width - left - 20, 20.0),
                        std::max(frame.height - top - below, 20.0)};
  x.place(area.x, area.x + area.width);
  SvgWriter svg(picture_of(
      frame, fmt::format("Bars of {} rows, the first {}", plot.rows.size(),
                         plot.rows.empty() ? "none" : plot.rows[0].label)));
  draw_title(svg, frame);
  draw_x_axis(svg, area, x, plot.x.title);
  draw_row_labels(svg, area, labels);
  const double height = area.height / rows;
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    draw_lying_bar(svg, plot, plot.rows[r], x,
                   area.y + (static_cast<double>(r) + 0.5) * height,
                   kLyingBar * height);
  }
  svg.line({x.clamped(0), area.y}, {x.clamped(0), area.y + area.height},
           "og-axis");
  if (is_empty) draw_no_data(svg, area);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
