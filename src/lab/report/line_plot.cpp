#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/clipped_line.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostMarks = 100;

struct LineArea {
  SvgRect area;
  Scale x;
  Scale y;
};

void check_lengths(const LineSeries& series) {
  if (series.x.size() == series.y.size() &&
      (series.error.empty() || series.error.size() == series.y.size())) {
    return;
  }
  fail("series '{}' has {} places, {} values and {} errors", series.name,
       series.x.size(), series.y.size(), series.error.size());
}

double error_at(const LineSeries& series, size_t i) {
  return series.error.empty() ? kMissing : series.error[i];
}

// Runs of points without a gap; points in pixels, perhaps outside the area.
std::vector<std::vector<SvgPoint>> runs_of(const LineSeries& series,
                                           const LinePlot& plot,
                                           const LineArea& on) {
  std::vector<std::vector<SvgPoint>> runs(1);
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (is_shown(series.x[i], plot.x.scale) &&
        is_shown(series.y[i], plot.y.scale)) {
      runs.back().push_back({on.x.at(series.x[i]), on.y.at(series.y[i])});
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  return runs;
}

void draw_band(SvgWriter& svg, const LineSeries& series, const LineArea& on,
               const std::string& color) {
  std::vector<SvgPoint> upper, lower;
  const auto finish = [&] {
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    svg.polygon(upper, "og-area " + color);
    upper.clear();
    lower.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    const double error = std::fabs(error_at(series, i));
    if (!on.x.contains(series.x[i]) || !std::isfinite(series.y[i]) ||
        !std::isfinite(error)) {
      finish();
      continue;
    }
    const double x = on.x.at(series.x[i]);
    const double low = std::max(series.y[i] - error, on.y.low());
    const double high = std::max(series.y[i] + error, on.y.low());
    upper.push_back({x, on.y.clamped(high)});
    lower.push_back({x, on.y.clamped(low)});
  }
  finish();
}

// Marks of short series; of long ones only those that no line touches, and some
// that show under the pointer alone, for their values.
void draw_marks(SvgWriter& svg, const LinePlot& plot, const LineSeries& series,
                const LegendEntry& look, const LineArea& on) {
  const auto exists = [&](size_t i) {
    return i < series.x.size() && is_shown(series.x[i], plot.x.scale) &&
           is_shown(series.y[i], plot.y.scale);
  };
  const bool all = series.marks && series.x.size() <= kMostMarks;
  const size_t stride = series.x.size() / kMostMarks + 1;
  const std::string color = series_class(look.color);
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!on.x.contains(series.x[i]) || !on.y.contains(series.y[i])) continue;
    const bool joined = exists(i + 1) || (i > 0 && exists(i - 1));
    const bool hidden = !all && joined;
    if (hidden && i % stride != 0) continue;
    std::string tooltip = fmt::format("{}: {}", short_number(series.x[i]),
                                      short_number(series.y[i]));
    if (!series.name.empty()) tooltip.insert(0, series.name + ", ");
    if (std::isfinite(error_at(series, i))) {
      tooltip += " ± " + short_number(error_at(series, i));
    }
    svg.mark({on.x.at(series.x[i]), on.y.at(series.y[i])}, look.mark,
             color + (hidden        ? " og-hover"
                      : look.dashed ? " og-hollow"
                                    : " og-mark"),
             tooltip);
  }
}

void draw_series(SvgWriter& svg, const LinePlot& plot, const LineSeries& series,
                 const LegendEntry& look, const LineArea& on) {
  const std::string color = series_class(look.color);
  if (!series.error.empty() && series.error_mark == ErrorMark::band) {
    draw_band(svg, series, on, color);
  }
  for (const std::vector<SvgPoint>& run : runs_of(series, plot, on)) {
    draw_clipped_line(svg, run, on.area,
                      (look.dashed ? "og-line og-dash " : "og-line ") + color);
  }
  if (series.error_mark == ErrorMark::bars) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!on.x.contains(series.x[i]) || !on.y.contains(series.y[i])) continue;
      draw_error_bar(svg, on.y, on.x.at(series.x[i]), series.y[i],
                     error_at(series, i), "og-whisker " + color);
    }
  }
  draw_marks(svg, plot, series, look, on);
}

std::vector<LegendEntry> looks_of(const LinePlot& plot) {
  std::vector<LegendEntry> out;
  int next = 0;
  for (const LineSeries& series : plot.series) {
    LegendEntry entry;
    entry.name = series.name;
    entry.color = series.color >= 0 ? series.color : next++;
    entry.mark = entry.color;
    // The second round through the palette differs by its lines too.
    entry.dashed = series.dashed || entry.color / kPaletteSize % 2 == 1;
    out.push_back(entry);
  }
  return out;
}

std::string content_of(const LinePlot& plot) {
  std::string out = fmt::format("Line plot of {} over {}",
                                plot.y.title.empty() ? "values" : plot.y.title,
                                plot.x.title.empty() ? "x" : plot.x.title);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    out += (i == 0 ? ": " : ", ") + plot.series[i].name;
  }
  return out;
}

}  // namespace

std::string line_plot(const LinePlot& plot) {
  const PlotFrame frame = sized(plot.frame, 640, 400);
  ValueRange x_values{plot.x.scale}, y_values{plot.y.scale};
  for (const LineSeries& series : plot.series) {
    check_lengths(series);
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!is_shown(series.x[i], plot.x.scale) ||
          !is_shown(series.y[i], plot.y.scale)) {
        continue;
      }
      x_values.add(series.x[i]);
      y_values.add(series.y[i], error_at(series, i));
    }
  }
  LineArea on{{},
              Scale(plot.x, x_values, AxisMargin::small,
                    static_cast<int>(frame.width / 80)),
              Scale(plot.y, y_values, AxisMargin::to_ticks,
                    static_cast<int>(frame.height / 60))};
  const std::vector<LegendEntry> looks = looks_of(plot);
  const double left = y_axis_width(on.y, plot.y.title);
  const double right = 24 + legend_width(looks, frame.width);
  const double top = title_height(frame);
  on.area = {left, top, std::max(frame.width - left - right, 20.0),
             std::max(frame.height - top - x_axis_height(plot.x.title), 20.0)};
  on.x.place(on.area.x, on.area.x + on.area.width);
  on.y.place(on.area.y + on.area.height, on.area.y);
  SvgWriter svg(picture_of(frame, content_of(plot)));
  draw_title(svg, frame);
  draw_y_axis(svg, on.area, on.y, plot.y.title);
  draw_x_axis(svg, on.area, on.x, plot.x.title);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    draw_series(svg, plot, plot.series[i], looks[i], on);
  }
  if (x_values.empty()) draw_no_data(svg, on.area);
  draw_legend(svg, on.area, looks, frame.width);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
