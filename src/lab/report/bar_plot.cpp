#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kGroupShare = 0.8;  // of its slot that a group's bars take
constexpr double kLabelTurn = 35;    // degrees, where names are long
constexpr double kLabelSine = 0.574, kLabelCosine = 0.819;

void check_bar_plot(const BarPlot& plot) {
  if (plot.y.scale != AxisScale::linear) {
    fail("bars stand on 0, which a logarithmic axis does not have");
  }
  for (const BarSeries& series : plot.series) {
    if (series.values.size() == plot.groups.size() &&
        (series.errors.empty() || series.errors.size() == plot.groups.size())) {
      continue;
    }
    fail("bars '{}' have {} values and {} errors for {} groups", series.name,
         series.values.size(), series.errors.size(), plot.groups.size());
  }
}

ValueRange range_of(const BarPlot& plot) {
  ValueRange values;
  for (const BarSeries& series : plot.series) {
    for (size_t i = 0; i < series.values.size(); ++i) {
      values.add(series.values[i],
                 series.errors.empty() ? kMissing : series.errors[i]);
    }
  }
  return values;
}

double longest_name_of(const BarPlot& plot) {
  double longest = 0;
  for (const std::string& name : plot.groups) {
    longest = std::max(longest, text_width(name, kTickSize));
  }
  return longest;
}

// Names below the groups: level where all fit their slots, slanted otherwise.
struct GroupLabels {
  bool slanted = false;
  double longest = 0;  // pixels a name may take
  double height = kXTicksHeight;
  size_t stride = 1;
};

GroupLabels plan_labels(const BarPlot& plot, double slot, double left) {
  GroupLabels out;
  out.longest = longest_name_of(plot);
  if (out.longest <= slot - 6) return out;
  out.slanted = true;
  out.longest =
      std::min({out.longest, 150.0, (left + slot / 2) / kLabelCosine});
  out.height = out.longest * kLabelSine + 18;
  constexpr double kClosest = 15;
  out.stride = static_cast<size_t>(std::max(1.0, std::ceil(kClosest / slot)));
  return out;
}

void draw_group_labels(SvgWriter& svg, const SvgRect& area, const BarPlot& plot,
                       const GroupLabels& labels) {
  const double slot = area.width / static_cast<double>(plot.groups.size());
  const double bottom = area.y + area.height;
  for (size_t g = 0; g < plot.groups.size(); g += labels.stride) {
    const double x = area.x + (static_cast<double>(g) + 0.5) * slot;
    const std::string name =
        fitted(plot.groups[g], kTickSize, labels.longest + 1);
    if (labels.slanted) {
      svg.text({x + 4, bottom + 16}, name,
               {TextAnchor::end, "og-tick", -kLabelTurn});
    } else {
      svg.text({x, bottom + 18}, name, {TextAnchor::middle, "og-tick"});
    }
  }
}

struct BarPlace {
  double x = 0;
  double width = 0;
};

void draw_bar(SvgWriter& svg, const BarPlot& plot, const Scale& y,
              size_t series, size_t group, const BarPlace& place) {
  const BarSeries& bars = plot.series[series];
  const double value = bars.values[group];
  if (!is_shown(value, AxisScale::linear)) return;
  const double error = bars.errors.empty() ? kMissing : bars.errors[group];
  const double base = y.clamped(0), end = y.clamped(value);
  std::string tooltip = fmt::format("{}, {}: {}", plot.groups[group], bars.name,
                                    short_number(value));
  if (std::isfinite(error)) tooltip += " ± " + short_number(error);
  svg.rect({place.x, std::min(base, end), place.width, std::fabs(base - end)},
           "og-bar " + series_class(static_cast<int>(series)), tooltip);
  const double middle = place.x + place.width / 2;
  draw_error_bar(svg, y, middle, value, error, "og-error");
  if (plot.value_digits < 0) return;
  const std::string text = fmt::format("{:.{}f}", value, plot.value_digits);
  if (text_width(text, kNoteSize) > place.width + 2) return;
  const double reach = std::isfinite(error) ? std::fabs(error) : 0;
  const double top =
      value < 0 ? y.clamped(value - reach) + 13 : y.clamped(value + reach) - 5;
  svg.text({middle, top}, text, {TextAnchor::middle, "og-note og-halo"});
}

void draw_bars(SvgWriter& svg, const BarPlot& plot, const SvgRect& area,
               const Scale& y) {
  const auto groups = static_cast<double>(plot.groups.size());
  const auto bars = static_cast<double>(plot.series.size());
  const double slot = area.width / groups;
  const double width = std::min(kGroupShare * slot / bars, 60.0);
  for (size_t g = 0; g < plot.groups.size(); ++g) {
    const double middle = area.x + (static_cast<double>(g) + 0.5) * slot;
    for (size_t s = 0; s < plot.series.size(); ++s) {
      const double x = middle + (static_cast<double>(s) - bars / 2) * width;
      draw_bar(svg, plot, y, s, g, {x + 0.04 * width, 0.92 * width});
    }
  }
}

// Room for every bar and, within reason, for level names.
double suitable_width(const BarPlot& plot) {
  const auto groups = static_cast<double>(plot.groups.size());
  const auto bars = static_cast<double>(plot.series.size());
  const double bar = plot.value_digits < 0 ? 26 : 36;
  const double name = std::min(longest_name_of(plot) + 12, 140.0);
  return std::clamp(220 + groups * std::max(bars * bar + 24, name), 480.0,
                    1600.0);
}

std::vector<LegendEntry> bar_legend(const BarPlot& plot) {
  std::vector<LegendEntry> out;
  for (const BarSeries& series : plot.series) {
    LegendEntry entry;
    entry.kind = LegendEntry::Kind::swatch;
    entry.name = series.name;
    entry.color = static_cast<int>(out.size());
    out.push_back(entry);
  }
  return out;
}

}  // namespace

std::string bar_plot(const BarPlot& plot) {
  check_bar_plot(plot);
  const auto groups = static_cast<double>(plot.groups.size());
  const PlotFrame frame = sized(plot.frame, suitable_width(plot), 400);
  ValueRange values = range_of(plot);
  const bool no_data = values.empty();
  if (std::isnan(plot.y.min)) values.add(0);
  Scale y(plot.y, values, AxisMargin::to_ticks,
          static_cast<int>(frame.height / 60));
  const std::vector<LegendEntry> legend = bar_legend(plot);
  const double left = y_axis_width(y, plot.y.title);
  const double right = 24 + legend_width(legend, frame.width);
  const double top = title_height(frame);
  const double width = std::max(frame.width - left - right, 20.0);
  const GroupLabels labels =
      plan_labels(plot, width / std::max(groups, 1.0), left);
  const SvgRect area = {left, top, width,
                        std::max(frame.height - top - labels.height -
                                     (plot.x_title.empty() ? 16 : 34),
                                 20.0)};
  y.place(area.y + area.height, area.y);
  SvgWriter svg(picture_of(
      frame, fmt::format("Bar plot of {} for {} groups of {} bars",
                         plot.y.title.empty() ? "values" : plot.y.title,
                         plot.groups.size(), plot.series.size())));
  draw_title(svg, frame);
  draw_y_axis(svg, area, y, plot.y.title);
  draw_bars(svg, plot, area, y);
  svg.line({area.x, y.clamped(0)}, {area.x + area.width, y.clamped(0)},
           "og-axis");
  draw_group_labels(svg, area, plot, labels);
  draw_x_title(svg, area, labels.height, plot.x_title);
  if (no_data) draw_no_data(svg, area);
  draw_legend(svg, area, legend, frame.width);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
