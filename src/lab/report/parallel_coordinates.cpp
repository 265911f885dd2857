#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/report/axes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kFewLines = 40;

// A vertical axis: numbers on a scale, or names at equal distances.
struct VerticalAxis {
  double x = 0;
  const ParallelAxis* axis = nullptr;
  Scale scale;

  bool shows(double value) const {
    if (axis->categories.empty()) return scale.contains(value);
    return value >= 0 && value == std::floor(value) &&
           value < static_cast<double>(axis->categories.size());
  }
};

void check_parallel(const ParallelPlot& plot) {
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    if (plot.lines[i].values.size() != plot.axes.size()) {
      fail("line {} of a parallel plot has {} values for {} axes", i,
           plot.lines[i].values.size(), plot.axes.size());
    }
  }
}

bool has_objective(const ParallelLine& line) {
  return is_shown(line.objective, AxisScale::linear);
}

// The lines with an objective, from the worst to the best; of equals the first
// comes last, so that it is the best one.
std::vector<size_t> from_worst_to_best(const ParallelPlot& plot) {
  std::vector<size_t> order;
  for (size_t i = plot.lines.size(); i-- > 0;) {
    if (has_objective(plot.lines[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double first = plot.lines[a].objective;
    const double second = plot.lines[b].objective;
    return plot.higher_is_better ? first < second : first > second;
  });
  return order;
}

Scale scale_of(const ParallelPlot& plot, size_t index) {
  const ParallelAxis& axis = plot.axes[index];
  ValueRange values{axis.scale};
  PlotAxis range;
  range.scale = axis.scale;
  if (!axis.categories.empty()) {
    range = {"", AxisScale::linear, -0.5,
             static_cast<double>(axis.categories.size()) - 0.5};
  } else {
    for (const ParallelLine& line : plot.lines) values.add(line.values[index]);
  }
  return Scale(range, values, AxisMargin::small, 6);
}

Scale objective_scale(const ParallelPlot& plot) {
  ValueRange values;
  for (const ParallelLine& line : plot.lines) values.add(line.objective);
  return Scale({}, values, AxisMargin::small, 6);
}

std::vector<Tick> ticks_of(const VerticalAxis& vertical, double height) {
  const std::vector<std::string>& names = vertical.axis->categories;
  if (names.empty()) return vertical.scale.ticks();
  const auto count = static_cast<double>(names.size());
  const auto stride =
      static_cast<size_t>(std::max(1.0, std::ceil(16 * count / height)));
  std::vector<Tick> out;
  for (size_t i = 0; i < names.size(); i += stride) {
    out.push_back({static_cast<double>(i), names[i]});
  }
  return out;
}

void draw_vertical_axis(SvgWriter& svg, const VerticalAxis& vertical,
                        const SvgRect& area, double room) {
  const double x = vertical.x;
  svg.line({x, area.y}, {x, area.y + area.height}, "og-axis");
  svg.text({x, area.y - 12},
           fitted(vertical.axis->name, kTickSize, std::min(room - 8, 116.0)),
           {TextAnchor::middle, "og-tick"});
  for (const Tick& tick : ticks_of(vertical, area.height)) {
    const double y = vertical.scale.at(tick.value);
    svg.line({x - 3, y}, {x + 3, y}, "og-axis");
    svg.text({x + 7, y + 4}, fitted(tick.label, kNoteSize, 0.7 * room),
             {TextAnchor::start, "og-note og-halo"});
  }
}

void draw_trial(SvgWriter& svg, const std::vector<VerticalAxis>& verticals,
                const ParallelLine& line, const std::string& classes) {
  std::vector<SvgPoint> run;
  for (size_t i = 0; i < verticals.size(); ++i) {
    const bool last = i == line.values.size();
    const double value = last ? line.objective : line.values[i];
    if (verticals[i].shows(value)) {
      run.push_back({verticals[i].x, verticals[i].scale.at(value)});
      continue;
    }
    svg.polyline(run, classes);
    run.clear();
  }
  svg.polyline(run, classes);
}

// Shades follow the ranks: a few bad trials do not use up the scale.
void draw_trials(SvgWriter& svg, const ParallelPlot& plot,
                 const std::vector<VerticalAxis>& verticals,
                 const std::vector<size_t>& order) {
  for (const ParallelLine& line : plot.lines) {
    if (!has_objective(line)) draw_trial(svg, verticals, line, "og-faint");
  }
  const char* const look = order.size() > kFewLines ? "og-many" : "og-thin";
  size_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const ParallelLine& line = plot.lines[order[i]];
    if (i > 0 && line.objective != plot.lines[order[i - 1]].objective) rank = i;
    const size_t shade = order.size() < 2
                             ? kNumShades - 1
                             : rank * (kNumShades - 1) / (order.size() - 1);
    if (i + 1 == order.size()) {
      draw_trial(svg, verticals, line, "og-best");
    } else {
      draw_trial(svg, verticals, line, fmt::format("{} og-q{}", look, shade));
    }
  }
}

std::string best_text(const ParallelPlot& plot,
                      const std::vector<size_t>& order) {
  if (order.empty()) return "";
  return fmt::format("best of {}: {} {}", plot.lines.size(),
                     plot.objective_name,
                     short_number(plot.lines[order.back()].objective));
}

}  // namespace

std::string parallel_coordinates(const ParallelPlot& plot) {
  check_parallel(plot);
  const auto gaps = static_cast<double>(plot.axes.size());
  const PlotFrame frame =
      sized(plot.frame, std::clamp(140 + 110 * gaps, 480.0, 2400.0), 420);
  const double top = title_height(frame) + 40;
  const SvgRect area = {60, top, std::max(frame.width - 130, 20.0),
                        std::max(frame.height - top - 24, 20.0)};
  const double room = gaps == 0 ? area.width : area.width / gaps;
  const ParallelAxis objective{plot.objective_name, AxisScale::linear, {}};
  std::vector<VerticalAxis> verticals;
  for (size_t i = 0; i <= plot.axes.size(); ++i) {
    const bool last = i == plot.axes.size();
    verticals.push_back({area.x + static_cast<double>(i) * room,
                         last ? &objective : &plot.axes[i],
                         last ? objective_scale(plot) : scale_of(plot, i)});
    verticals.back().scale.place(area.y + area.height, area.y);
  }
  const std::vector<size_t> order = from_worst_to_best(plot);
  const std::string best = best_text(plot, order);
  SvgWriter svg(picture_of(
      frame, fmt::format("Parallel coordinates of {} trials over {} settings; "
                         "{}",
                         plot.lines.size(), plot.axes.size(), best)));
  draw_title(svg, frame);
  if (!best.empty()) {
    svg.line({16, top - 39}, {40, top - 39}, "og-best");
    svg.text({48, top - 35}, fitted(best, kTickSize, frame.width - 64),
             {TextAnchor::start, "og-tick"});
  }
  draw_trials(svg, plot, verticals, order);
  for (const VerticalAxis& vertical : verticals) {
    draw_vertical_axis(svg, vertical, area, room);
  }
  if (plot.lines.empty()) draw_no_data(svg, area);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
