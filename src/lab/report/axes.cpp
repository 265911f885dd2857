#include "lab/report/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// Bold letters are wider than text_width() takes them to be.
constexpr double kBoldTitleSize = 1.15 * kTitleSize;

constexpr double kLeastWidth = 160, kLeastHeight = 120, kLargestSize = 20000;
constexpr double kMargin = 16;

}  // namespace

PlotFrame sized(PlotFrame frame, double width, double height) {
  if (frame.width == 0) frame.width = std::min(width, kLargestSize);
  if (frame.height == 0) frame.height = std::min(height, kLargestSize);
  if (!(frame.width >= kLeastWidth && frame.width <= kLargestSize &&
        frame.height >= kLeastHeight && frame.height <= kLargestSize)) {
    fail(
        "a plot of {} x {} pixels cannot be drawn; give at least {} x {} and "
        "at most {} pixels, or 0 for a size that suits",
        frame.width, frame.height, kLeastWidth, kLeastHeight, kLargestSize);
  }
  return frame;
}

SvgPicture picture_of(const PlotFrame& frame, const std::string& content) {
  return {frame.width, frame.height, frame.title,
          frame.description.empty() ? content : frame.description};
}

double title_height(const PlotFrame& frame) {
  return frame.title.empty() ? kMargin : 44;
}

double title_width(const PlotFrame& frame) {
  return std::ceil(text_width(frame.title, kBoldTitleSize)) + 2 * kMargin;
}

void draw_title(SvgWriter& svg, const PlotFrame& frame) {
  if (frame.title.empty()) return;
  svg.text({kMargin, 27},
           fitted(frame.title, kBoldTitleSize, frame.width - 2 * kMargin),
           {TextAnchor::start, "og-title"});
}

void draw_no_data(SvgWriter& svg, const SvgRect& area) {
  svg.text({area.x + area.width / 2, area.y + area.height / 2 + 4}, "no data",
           {TextAnchor::middle, "og-label"});
}

double y_axis_width(const Scale& scale, const std::string& title) {
  double widest = 0;
  for (const Tick& tick : scale.ticks()) {
    widest = std::max(widest, text_width(tick.label, kTickSize));
  }
  return kMargin + (title.empty() ? 0 : 22) + widest + 8;
}

void draw_y_axis(SvgWriter& svg, const SvgRect& area, const Scale& scale,
                 const std::string& title) {
  for (const Tick& tick : scale.ticks()) {
    const double y = scale.at(tick.value);
    svg.line({area.x, y}, {area.x + area.width, y}, "og-grid");
    svg.text({area.x - 8, y + 4}, tick.label, {TextAnchor::end, "og-tick"});
  }
  draw_y_title(svg, area, title);
}

void draw_y_title(SvgWriter& svg, const SvgRect& area,
                  const std::string& title) {
  if (title.empty()) return;
  const SvgPoint at = {kMargin + 10, area.y + area.height / 2};
  svg.text(at, fitted(title, kLabelSize, area.height + 40),
           {TextAnchor::middle, "og-label", -90});
}

double x_axis_height(const std::string& title) {
  return kXTicksHeight + (title.empty() ? kMargin : 34);
}

void draw_x_axis(SvgWriter& svg, const SvgRect& area, const Scale& scale,
                 const std::string& title) {
  const double bottom = area.y + area.height;
  for (const Tick& tick : scale.ticks()) {
    const double x = scale.at(tick.value);
    svg.line({x, area.y}, {x, bottom}, "og-grid");
    svg.text({x, bottom + 18}, tick.label, {TextAnchor::middle, "og-tick"});
  }
  svg.line({area.x, bottom}, {area.x + area.width, bottom}, "og-axis");
  draw_x_title(svg, area, kXTicksHeight, title);
}

void draw_x_title(SvgWriter& svg, const SvgRect& area, double labels,
                  const std::string& title) {
  if (title.empty()) return;
  svg.text({area.x + area.width / 2, area.y + area.height + labels + 18},
           fitted(title, kLabelSize, area.width + 40),
           {TextAnchor::middle, "og-label"});
}

void draw_error_bar(SvgWriter& svg, const Scale& y, double x, double value,
                    double error, const std::string& classes) {
  if (!is_shown(error, AxisScale::linear) || error == 0) return;
  constexpr double kCap = 3.5;
  const double size = std::fabs(error);
  // Below the range of a logarithmic axis there is no lower end.
  const double lower = std::max(value - size, y.low());
  const double bottom = y.clamped(lower), top = y.clamped(value + size);
  svg.line({x, bottom}, {x, top}, classes);
  if (y.contains(value - size)) {
    svg.line({x - kCap, bottom}, {x + kCap, bottom}, classes);
  }
  if (y.contains(value + size)) {
    svg.line({x - kCap, top}, {x + kCap, top}, classes);
  }
}

std::string series_class(int index) {
  return fmt::format("og-s{}",
                     (index % kPaletteSize + kPaletteSize) % kPaletteSize);
}

}  // namespace ordered_gnn::lab
