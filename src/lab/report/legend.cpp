#include <fmt/format.h>

#include <algorithm>

#include "lab/report/axes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kLegendRow = 20;
constexpr double kKeyWidth = 26;   // of the sample left of a name
constexpr double kLegendGap = 18;  // between the plot and the legend

// A legend must leave the plot the larger part of the picture.
double longest_name(double picture_width) { return 0.3 * picture_width; }

void draw_key(SvgWriter& svg, SvgPoint at, const LegendEntry& entry) {
  const std::string color =
      entry.classes.empty() ? series_class(entry.color) : entry.classes;
  if (entry.kind == LegendEntry::Kind::swatch) {
    svg.rect({at.x + 4, at.y - 6, 12, 12}, "og-bar " + color);
    return;
  }
  svg.line(at, {at.x + 20, at.y},
           (entry.dashed ? "og-line og-dash " : "og-line ") + color);
  svg.mark({at.x + 10, at.y}, entry.mark,
           color + (entry.dashed ? " og-hollow" : " og-bar"));
}

}  // namespace

double legend_width(const std::vector<LegendEntry>& entries,
                    double picture_width) {
  double widest = 0;
  for (const LegendEntry& entry : entries) {
    widest = std::max(widest, text_width(entry.name, kTickSize));
  }
  if (widest == 0) return 0;
  return kLegendGap + kKeyWidth + std::min(widest, longest_name(picture_width));
}

void draw_legend(SvgWriter& svg, const SvgRect& area,
                 const std::vector<LegendEntry>& entries,
                 double picture_width) {
  if (legend_width(entries, picture_width) == 0) return;
  const auto rows =
      static_cast<size_t>(std::max(area.height / kLegendRow, 1.0));
  const size_t shown = entries.size() <= rows ? entries.size() : rows - 1;
  const double x = area.x + area.width + kLegendGap;
  double y = area.y + kLegendRow / 2;
  for (size_t i = 0; i < shown; ++i, y += kLegendRow) {
    draw_key(svg, {x, y}, entries[i]);
    svg.text({x + kKeyWidth, y + 4},
             fitted(entries[i].name, kTickSize, longest_name(picture_width)),
             {TextAnchor::start, "og-tick"});
  }
  if (shown == entries.size()) return;
  svg.text({x + kKeyWidth, y + 4},
           fmt::format("and {} more", entries.size() - shown),
           {TextAnchor::start, "og-note"});
}

}  // namespace ordered_gnn::lab
