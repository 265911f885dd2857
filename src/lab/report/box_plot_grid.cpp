#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kPanelGap = 14;
constexpr double kPanelTitle = 22;
constexpr double kSlimBox = 5;       // too narrow for edges and caps
constexpr double kOutlierGap = 0.5;  // marks that are closer look like one

bool is_complete(const FiveNumbers& box) {
  for (const double value : {box.min, box.q1, box.median, box.q3, box.max}) {
    if (!is_shown(value, AxisScale::linear)) return false;
  }
  return true;
}

// Tails whose whiskers can be drawn; null for whiskers to the extremes.
const BoxTails* tails_of(const BoxPanel& panel, size_t index) {
  if (panel.tails.empty()) return nullptr;
  const BoxTails& tails = panel.tails[index];
  const bool shown = is_shown(tails.low, AxisScale::linear) &&
                     is_shown(tails.high, AxisScale::linear);
  return shown ? &tails : nullptr;
}

void check_tails(const BoxPlotGrid& plot) {
  for (const BoxPanel& panel : plot.panels) {
    if (panel.tails.empty() || panel.tails.size() == panel.boxes.size()) {
      continue;
    }
    fail("panel '{}' has {} boxes but {} tails", panel.title,
         panel.boxes.size(), panel.tails.size());
  }
}

// Columns near the square that leave the fewest places of the last row empty.
size_t grid_columns(const BoxPlotGrid& plot) {
  const size_t panels = std::max<size_t>(plot.panels.size(), 1);
  if (plot.columns > 0) {
    return std::min(static_cast<size_t>(plot.columns), panels);
  }
  const auto least =
      static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(panels))));
  size_t best = least;
  const auto empty = [&](size_t columns) {
    return (columns - panels % columns) % columns;
  };
  for (size_t columns = least; columns <= std::min(least + 2, panels);
       ++columns) {
    if (empty(columns) < empty(best)) best = columns;
  }
  return best;
}

struct GridLayout {
  size_t columns = 1;
  size_t rows = 1;
  size_t slots = 1;  // boxes of the fullest panel
  double left = 0;
  double top = 0;
  double panel_width = 0;
  double panel_height = 0;

  SvgRect panel(size_t index) const {
    const size_t rows_above = index / columns;
    const auto column = static_cast<double>(index % columns);
    const auto row = static_cast<double>(rows_above);
    return {left + column * (panel_width + kPanelGap),
            top + kPanelTitle + row * (panel_height + kPanelTitle + 6),
            panel_width, panel_height};
  }
};

struct BoxPlace {
  double middle = 0;
  double width = 0;
};

void draw_whiskers(SvgWriter& svg, const FiveNumbers& box,
                   const BoxTails* tails, const Scale& y,
                   const BoxPlace& place) {
  const double min = y.clamped(tails == nullptr ? box.min : tails->low);
  const double max = y.clamped(tails == nullptr ? box.max : tails->high);
  svg.line({place.middle, min}, {place.middle, y.clamped(box.q1)}, "");
  svg.line({place.middle, y.clamped(box.q3)}, {place.middle, max}, "");
  if (place.width < kSlimBox) return;
  for (const double end : {min, max}) {
    svg.line({place.middle - place.width / 4, end},
             {place.middle + place.width / 4, end}, "");
  }
}

// Dots: lines of no length with round ends.
void draw_outliers(SvgWriter& svg, const BoxTails& tails, const Scale& y,
                   const BoxPlace& place) {
  double last = kMissing;
  for (const float value : tails.sample) {
    if (!y.contains(value)) continue;
    const double at = y.at(value);
    if (std::fabs(at - last) < kOutlierGap) continue;
    svg.line({place.middle, at}, {place.middle, at}, "");
    last = at;
  }
}

std::string box_tooltip(const FiveNumbers& box, const BoxTails* tails,
                        size_t number) {
  std::string text = fmt::format(
      "{}: median {}, quartiles {} to {}, range {} to {}", number,
      short_number(box.median), short_number(box.q1), short_number(box.q3),
      short_number(box.min), short_number(box.max));
  if (tails != nullptr) {
    text += fmt::format(", whiskers {} to {}, {} outliers",
                        short_number(tails->low), short_number(tails->high),
                        tails->num_outliers);
  }
  return text;
}

void draw_quartiles(SvgWriter& svg, const FiveNumbers& box,
                    const BoxTails* tails, const Scale& y,
                    const BoxPlace& place, size_t number) {
  const double q1 = y.clamped(box.q1), q3 = y.clamped(box.q3);
  std::string tooltip;
  if (place.width >= kSlimBox) tooltip = box_tooltip(box, tails, number);
  svg.rect({place.middle - place.width / 2, std::min(q1, q3), place.width,
            std::fabs(q1 - q3)},
           "", tooltip);
}

// In a few groups, because classes on every line would double the file.
void draw_boxes(SvgWriter& svg, const BoxPanel& panel, const Scale& y,
                double left, double slot) {
  const std::vector<FiveNumbers>& boxes = panel.boxes;
  const double width = std::max(0.7 * slot, 0.5);
  const bool slim = width < kSlimBox;
  const auto each = [&](const std::string& classes, const auto& draw) {
    svg.begin_group(classes);
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (!is_complete(boxes[b])) continue;
      draw(boxes[b],
           BoxPlace{left + (static_cast<double>(b) + 0.5) * slot, width}, b);
    }
    svg.end_group();
  };
  if (!panel.tails.empty()) {
    each("og-s0 og-outlier",
         [&](const FiveNumbers&, const BoxPlace& place, size_t index) {
           const BoxTails* const tails = tails_of(panel, index);
           if (tails != nullptr) draw_outliers(svg, *tails, y, place);
         });
  }
  each(slim ? "og-s0 og-slim" : "og-s0 og-whisker",
       [&](const FiveNumbers& box, const BoxPlace& place, size_t index) {
         draw_whiskers(svg, box, tails_of(panel, index), y, place);
       });
  each(slim ? "og-s0 og-bar" : "og-s0 og-box",
       [&](const FiveNumbers& box, const BoxPlace& place, size_t index) {
         draw_quartiles(svg, box, tails_of(panel, index), y, place, index + 1);
       });
  each("og-median", [&](const FiveNumbers& box, const BoxPlace& place, size_t) {
    const double at = y.clamped(box.median), half = place.width / 2;
    svg.line({place.middle - half, at}, {place.middle + half, at}, "");
  });
}

// Numbers below a panel, at 1 and at multiples of a power of two: gates come in
// powers of two.
void draw_box_numbers(SvgWriter& svg, const SvgRect& area, size_t slots) {
  const double slot = area.width / static_cast<double>(slots);
  const double room = text_width(std::to_string(slots), kTickSize) + 8;
  size_t stride = 1;
  while (static_cast<double>(stride) * slot < room && stride < slots) {
    stride *= 2;
  }
  for (size_t i = stride; i <= slots; i += stride) {
    svg.text({area.x + (static_cast<double>(i) - 0.5) * slot,
              area.y + area.height + 16},
             std::to_string(i), {TextAnchor::middle, "og-tick"});
  }
  if (static_cast<double>(stride - 1) * slot < room) return;
  svg.text({area.x + 0.5 * slot, area.y + area.height + 16}, "1",
           {TextAnchor::middle, "og-tick"});
}

void draw_panel(SvgWriter& svg, const BoxPlotGrid& plot,
                const GridLayout& layout, Scale& y, size_t index) {
  const BoxPanel& panel = plot.panels[index];
  const SvgRect area = layout.panel(index);
  y.place(area.y + area.height, area.y);
  svg.rect(area, "og-panel");
  for (const Tick& tick : y.ticks()) {
    const double at = y.at(tick.value);
    svg.line({area.x, at}, {area.x + area.width, at}, "og-grid");
    if (index % layout.columns > 0) continue;
    svg.text({area.x - 8, at + 4}, tick.label, {TextAnchor::end, "og-tick"});
  }
  svg.text({area.x + area.width / 2, area.y - 6},
           fitted(panel.title, kTickSize, area.width),
           {TextAnchor::middle, "og-tick"});
  const double slot = area.width / static_cast<double>(layout.slots);
  draw_boxes(svg, panel, y, area.x, slot);
  if (panel.boxes.empty()) draw_no_data(svg, area);
  svg.line({area.x, area.y + area.height},
           {area.x + area.width, area.y + area.height}, "og-axis");
  const bool lowest = index + layout.columns >= plot.panels.size();
  if (lowest) draw_box_numbers(svg, area, layout.slots);
}

ValueRange box_range(const BoxPlotGrid& plot) {
  ValueRange values;
  for (const BoxPanel& panel : plot.panels) {
    for (const FiveNumbers& box : panel.boxes) {
      if (!is_complete(box)) continue;
      values.add(box.min);
      values.add(box.max);
    }
  }
  return values;
}

GridLayout grid_shape(const BoxPlotGrid& plot) {
  GridLayout layout;
  layout.columns = grid_columns(plot);
  layout.rows = std::max<size_t>(
      (plot.panels.size() + layout.columns - 1) / layout.columns, 1);
  for (const BoxPanel& panel : plot.panels) {
    layout.slots = std::max(layout.slots, panel.boxes.size());
  }
  return layout;
}

}  // namespace

std::string box_plot_grid(const BoxPlotGrid& plot) {
  if (plot.y.scale != AxisScale::linear) {
    fail("panels of boxes have a linear axis");
  }
  if (plot.columns < 0) fail("{} panels in a row cannot be", plot.columns);
  check_tails(plot);
  GridLayout layout = grid_shape(plot);
  Scale y(plot.y, box_range(plot), AxisMargin::to_ticks, 5);
  layout.left = y_axis_width(y, plot.y.title);
  const auto columns = static_cast<double>(layout.columns);
  const auto rows = static_cast<double>(layout.rows);
  const double wish = std::clamp(960 / columns, 120.0, 400.0);
  const double bottom = x_axis_height(plot.x_title);
  layout.top = plot.frame.title.empty() ? 8 : 38;
  const PlotFrame frame =
      sized(plot.frame, layout.left + columns * (wish + kPanelGap) + 10,
            layout.top + rows * (0.62 * wish + 6 + kPanelTitle) + bottom);
  layout.panel_width =
      std::max((frame.width - layout.left - 10) / columns - kPanelGap, 4.0);
  layout.panel_height = std::max(
      (frame.height - layout.top - bottom) / rows - kPanelTitle - 6, 4.0);
  SvgWriter svg(
      picture_of(frame, fmt::format("Box plots in {} panels of up to {} boxes",
                                    plot.panels.size(), layout.slots)));
  draw_title(svg, frame);
  for (size_t i = 0; i < plot.panels.size(); ++i) {
    draw_panel(svg, plot, layout, y, i);
  }
  const SvgRect all = {layout.left, layout.top,
                       frame.width - layout.left - 10 - kPanelGap,
                       frame.height - layout.top - bottom};
  if (plot.panels.empty()) draw_no_data(svg, all);
  draw_y_title(svg, all, plot.y.title);
  draw_x_title(svg, all, kXTicksHeight, plot.x_title);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
