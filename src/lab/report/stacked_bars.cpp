#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/row_labels.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kStackRow = 30;
constexpr double kStackBar = 0.72;  // of its row

void check_stacked_bars(const StackedBars& plot) {
  if (plot.x.scale != AxisScale::linear) {
    fail("parts of a bar add up, which a logarithmic axis does not show");
  }
  if (!plot.notes.empty() && plot.notes.size() != plot.rows.size()) {
    fail("{} notes for {} rows", plot.notes.size(), plot.rows.size());
  }
  for (const StackedSeries& series : plot.series) {
    if (series.values.size() != plot.rows.size()) {
      fail("parts '{}' have {} values for {} rows", series.name,
           series.values.size(), plot.rows.size());
    }
    for (const double value : series.values) {
      if (value < 0) fail("part '{}' is {}, below 0", series.name, value);
    }
  }
}

// Shades are spread over the whole scale, the first series stands apart.
std::string part_class(const StackedBars& plot, size_t series) {
  if (!plot.ordered) return series_class(static_cast<int>(series));
  if (series == 0) return series_class(1);
  const size_t steps = plot.series.size() - 1;
  const size_t last = kNumShades - 1;
  const size_t shade =
      steps == 1 ? last / 2 : 1 + (series - 1) * (last - 1) / (steps - 1);
  return fmt::format("og-q{}", shade);
}

ValueRange stacked_range(const StackedBars& plot) {
  ValueRange values;
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    double sum = kMissing;
    for (const StackedSeries& series : plot.series) {
      const double value = series.values[r];
      if (!is_shown(value, AxisScale::linear)) continue;
      sum = std::isnan(sum) ? value : sum + value;
    }
    values.add(sum);
  }
  return values;
}

void draw_stack(SvgWriter& svg, const StackedBars& plot, const SvgRect& area,
                const Scale& x, size_t row) {
  const double height = area.height / static_cast<double>(plot.rows.size());
  const double top = area.y + (static_cast<double>(row) + 0.5) * height -
                     kStackBar * height / 2;
  double sum = 0;
  for (size_t s = 0; s < plot.series.size(); ++s) {
    const double value = plot.series[s].values[row];
    if (!is_shown(value, AxisScale::linear) || value == 0) continue;
    const double from = x.clamped(sum), to = x.clamped(sum + value);
    sum += value;
    svg.rect(
        {from, top, to - from, kStackBar * height},
        "og-part og-bar " + part_class(plot, s),
        fmt::format("{}, {}: {:.{}f}{}", plot.rows[row], plot.series[s].name,
                    value, plot.value_digits, plot.unit));
  }
}

std::vector<LegendEntry> stacked_legend(const StackedBars& plot) {
  std::vector<LegendEntry> out;
  for (size_t s = 0; s < plot.series.size(); ++s) {
    LegendEntry entry;
    entry.kind = LegendEntry::Kind::swatch;
    entry.name = plot.series[s].name;
    entry.classes = part_class(plot, s);
    out.push_back(entry);
  }
  return out;
}

double notes_width(const StackedBars& plot) {
  double widest = 0;
  for (const std::string& note : plot.notes) {
    widest = std::max(widest, text_width(note, kNoteSize));
  }
  return widest == 0 ? 0 : widest + 12;
}

}  // namespace

std::string stacked_bars(const StackedBars& plot) {
  check_stacked_bars(plot);
  const auto rows = static_cast<double>(std::max<size_t>(plot.rows.size(), 1));
  const std::vector<LegendEntry> legend = stacked_legend(plot);
  const double needed =
      std::max(rows * kStackRow, 20.0 * static_cast<double>(legend.size()));
  const double below = x_axis_height(plot.x.title);
  const double top = title_height(plot.frame);
  const PlotFrame frame =
      sized(plot.frame, 640, std::max(top + needed + below, 120.0));
  const ValueRange values = stacked_range(plot);
  Scale x(plot.x, values, AxisMargin::to_ticks, 6);
  const double left = row_labels_width(plot.rows, frame.width);
  const double notes = notes_width(plot);
  const double right = 16 + notes + legend_width(legend, frame.width);
  const SvgRect area = {left, top, std::max(frame.width - left - right, 20.0),
                        std::max(frame.height - top - below, 20.0)};
  x.place(area.x, area.x + area.width);
  SvgWriter svg(
      picture_of(frame, fmt::format("Stacked bars of {} parts for {} rows",
                                    plot.series.size(), plot.rows.size())));
  draw_title(svg, frame);
  draw_x_axis(svg, area, x, plot.x.title);
  draw_row_labels(svg, area, plot.rows);
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    draw_stack(svg, plot, area, x, r);
    if (plot.notes.empty()) continue;
    const double middle =
        area.y + (static_cast<double>(r) + 0.5) * area.height / rows;
    svg.text({area.x + area.width + 8, middle + 4}, plot.notes[r],
             {TextAnchor::start, "og-note"});
  }
  if (values.empty()) draw_no_data(svg, area);
  SvgRect beside = area;
  beside.width += notes;
  draw_legend(svg, beside, legend, frame.width);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
