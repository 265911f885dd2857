#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kRowHeight = 28;
constexpr double kKeysHeight = 26;
constexpr int kValueMark = 0, kReferenceMark = 3;
constexpr const char* kValueClasses = "og-s0 og-mark";
constexpr const char* kReferenceClasses = "og-s1 og-hollow";

// Pixels above and below the rows.
double height_around(const DotPlot& plot) {
  return title_height(plot.frame) + kKeysHeight + x_axis_height(plot.x.title);
}

// Between the names of the rows and their notes.
SvgRect dot_area(const DotPlot& plot, const PlotFrame& frame) {
  double labels = 0;
  double notes = text_width(plot.note_title, kTickSize);
  for (const DotRow& row : plot.rows) {
    labels = std::max(labels, text_width(row.label, kLabelSize));
    notes = std::max(notes, text_width(row.note, kTickSize));
  }
  labels = std::min(labels, 0.35 * frame.width);
  notes = std::min(notes, 0.3 * frame.width);
  const double left = labels + 28, right = 24 + (notes > 0 ? notes + 8 : 0);
  return {left, title_height(frame) + kKeysHeight,
          std::max(frame.width - left - right, 20.0),
          std::max(frame.height - height_around(plot), 20.0)};
}

// Names of the two marks in a line above the rows.
void draw_keys(SvgWriter& svg, const DotPlot& plot, const SvgRect& area) {
  const double y = area.y - kKeysHeight + 8;
  double x = area.x + 6;
  const auto key = [&](int mark, const char* classes, const std::string& name) {
    if (name.empty()) return;
    svg.mark({x, y}, mark, classes);
    svg.text({x + 10, y + 4}, name, {TextAnchor::start, "og-tick"});
    x += 10 + text_width(name, kTickSize) + 22;
  };
  key(kValueMark, kValueClasses, plot.value_name);
  const bool compared = std::any_of(
      plot.rows.begin(), plot.rows.end(),
      [](const DotRow& row) { return std::isfinite(row.reference); });
  if (compared) key(kReferenceMark, kReferenceClasses, plot.reference_name);
}

void draw_value(SvgWriter& svg, const DotPlot& plot, const DotRow& row,
                const Scale& x, double y) {
  const bool has_error = is_shown(row.error, AxisScale::linear);
  if (!x.contains(row.value)) return;
  if (has_error && row.error != 0) {
    const double size = std::fabs(row.error);
    const double from = x.clamped(std::max(row.value - size, x.low()));
    const double to = x.clamped(row.value + size);
    svg.line({from, y}, {to, y}, "og-line og-s0");
    for (const double end : {from, to}) {
      svg.line({end, y - 4}, {end, y + 4}, "og-whisker og-s0");
    }
  }
  svg.mark({x.at(row.value), y}, kValueMark, kValueClasses,
           fmt::format("{}, {}: {}{}", row.label, plot.value_name,
                       short_number(row.value),
                       has_error ? " ± " + short_number(row.error) : ""));
}

void draw_note(SvgWriter& svg, const SvgRect& area, double y,
               const std::string& note, double picture_width) {
  const double left = area.x + area.width + 12;
  svg.text({left, y + 4}, fitted(note, kTickSize, picture_width - left - 4),
           {TextAnchor::start, "og-tick"});
}

void draw_row(SvgWriter& svg, const DotPlot& plot, const DotRow& row,
              const Scale& x, const SvgRect& area, double y,
              double picture_width) {
  svg.line({area.x, y}, {area.x + area.width, y}, "og-grid");
  const double room = area.x - 26;
  svg.text({area.x - 10, y + 4}, fitted(row.label, kLabelSize, room),
           {TextAnchor::end, "og-label"});
  // Below the value, whose bar would hide behind a mark that is near.
  if (x.contains(row.reference)) {
    svg.mark({x.at(row.reference), y}, kReferenceMark, kReferenceClasses,
             fmt::format("{}, {}: {}", row.label, plot.reference_name,
                         short_number(row.reference)));
  }
  draw_value(svg, plot, row, x, y);
  if (row.note.empty()) return;
  draw_note(svg, area, y, row.note, picture_width);
}

}  // namespace

std::string dot_plot(const DotPlot& plot) {
  const auto rows = static_cast<double>(plot.rows.size());
  const PlotFrame frame = sized(
      plot.frame, 680, height_around(plot) + std::max(rows, 2.0) * kRowHeight);
  ValueRange values{plot.x.scale};
  for (const DotRow& row : plot.rows) {
    values.add(row.value, row.error);
    values.add(row.reference);
  }
  const SvgRect area = dot_area(plot, frame);
  Scale x(plot.x, values, AxisMargin::small, static_cast<int>(area.width / 55));
  x.place(area.x, area.x + area.width);
  SvgWriter svg(picture_of(
      frame,
      fmt::format("{} rows with {}, and {} to compare with", plot.rows.size(),
                  plot.value_name, plot.reference_name)));
  draw_title(svg, frame);
  draw_x_axis(svg, area, x, plot.x.title);
  draw_keys(svg, plot, area);
  if (!plot.note_title.empty()) {
    draw_note(svg, area, area.y - kKeysHeight + 8, plot.note_title,
              frame.width);
  }
  for (size_t i = 0; i < plot.rows.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / rows;
    draw_row(svg, plot, plot.rows[i], x, area, area.y + share * area.height,
             frame.width);
  }
  if (values.empty()) draw_no_data(svg, area);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
