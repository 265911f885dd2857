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

constexpr double kNameTurn = 40;  // degrees, where column names are long
constexpr double kNameSine = 0.643;

void check_shape(const std::vector<std::vector<double>>& cells,
                 const HeatMap& plot, const char* what) {
  bool fits = cells.size() == plot.rows.size();
  for (const std::vector<double>& row : cells) {
    fits = fits && row.size() == plot.columns.size();
  }
  if (fits) return;
  fail("the {} of a heat map do not fill {} rows of {} columns", what,
       plot.rows.size(), plot.columns.size());
}

double largest_cell(const HeatMap& plot) {
  double largest = 0;
  for (const std::vector<double>& row : plot.values) {
    for (const double value : row) {
      if (is_shown(value, AxisScale::linear)) {
        largest = std::max(largest, value);
      }
    }
  }
  return largest;
}

double widest_name(const std::vector<std::string>& names) {
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, text_width(name, kTickSize));
  }
  return widest;
}

struct HeatCell {
  SvgRect place;
  double value = 0;
  double strength = 0;
};

void draw_cell(SvgWriter& svg, const HeatMap& plot, const HeatCell& cell,
               const std::string& where) {
  const double strength = std::clamp(cell.strength, 0.0, 1.0);
  const int shade = static_cast<int>(std::lround(strength * (kNumShades - 1)));
  const std::string text =
      fmt::format("{:.{}f}", cell.value, plot.value_digits);
  std::string tooltip = fmt::format("{}: {}", where, text);
  if (!plot.strength_name.empty()) {
    tooltip +=
        fmt::format(" ({:.1f} % {})", 100 * cell.strength, plot.strength_name);
  }
  svg.rect(cell.place, fmt::format("og-cell og-bar og-q{}", shade), tooltip);
  if (text_width(text, kNoteSize) > cell.place.width - 2 ||
      cell.place.height < 13) {
    return;
  }
  svg.text({cell.place.x + cell.place.width / 2,
            cell.place.y + cell.place.height / 2 + 4},
           text,
           {TextAnchor::middle, shade < kNumShades / 2 + 1
                                    ? "og-note og-on-faint"
                                    : "og-note og-on-strong"});
}

void draw_cells(SvgWriter& svg, const HeatMap& plot, const SvgRect& area) {
  const double width = area.width / static_cast<double>(plot.columns.size());
  const double height = area.height / static_cast<double>(plot.rows.size());
  const double gap = std::min({1.0, width / 10, height / 10});
  const double largest = largest_cell(plot);
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    for (size_t c = 0; c < plot.columns.size(); ++c) {
      HeatCell cell;
      cell.value = plot.values[r][c];
      if (!is_shown(cell.value, AxisScale::linear)) continue;
      cell.strength = plot.strengths.empty()
                          ? (largest > 0 ? cell.value / largest : 0)
                          : plot.strengths[r][c];
      if (!std::isfinite(cell.strength)) cell.strength = 0;
      cell.place = {area.x + static_cast<double>(c) * width,
                    area.y + static_cast<double>(r) * height, width - gap,
                    height - gap};
      draw_cell(svg, plot, cell, plot.rows[r] + " → " + plot.columns[c]);
    }
  }
}

// Pixels that the names of the columns take below the cells.
double column_names_height(const HeatMap& plot, double cell) {
  const double widest = widest_name(plot.columns);
  if (widest <= cell - 4) return kXTicksHeight;
  return std::min(widest, 120.0) * kNameSine + 18;
}

void draw_column_names(SvgWriter& svg, const SvgRect& area,
                       const HeatMap& plot) {
  if (plot.columns.empty()) return;
  const double cell = area.width / static_cast<double>(plot.columns.size());
  const bool slanted = widest_name(plot.columns) > cell - 4;
  const auto stride =
      static_cast<size_t>(slanted ? std::max(1.0, std::ceil(14 / cell)) : 1.0);
  for (size_t c = 0; c < plot.columns.size(); c += stride) {
    const double x = area.x + (static_cast<double>(c) + 0.5) * cell;
    const double y = area.y + area.height + (slanted ? 14 : 18);
    svg.text({slanted ? x + 4 : x, y},
             fitted(plot.columns[c], kTickSize, slanted ? 120 : cell),
             {slanted ? TextAnchor::end : TextAnchor::middle, "og-tick",
              slanted ? -kNameTurn : 0});
  }
}

}  // namespace

std::string heat_map(const HeatMap& plot) {
  check_shape(plot.values, plot, "values");
  if (!plot.strengths.empty()) check_shape(plot.strengths, plot, "strengths");
  const auto columns = static_cast<double>(plot.columns.size());
  const auto rows = static_cast<double>(plot.rows.size());
  const bool empty = plot.columns.empty() || plot.rows.empty();
  const double cell =
      std::clamp(420 / std::max({columns, rows, 1.0}), 14.0, 64.0);
  const double top = title_height(plot.frame);
  const double title = plot.y_title.empty() ? 0 : 22;
  const double left =
      title + row_labels_width(plot.rows, std::max(480.0, 2 * cell));
  const double names = column_names_height(plot, cell);
  const double below = names + (plot.x_title.empty() ? 16 : 34);
  const PlotFrame frame = sized(
      plot.frame,
      std::max({left + columns * cell + 24, title_width(plot.frame), 240.0}),
      std::max(top + rows * cell + below, 160.0));
  // A long title makes the picture wider, not its cells.
  const double across =
      std::min(frame.width - left - 24,
               plot.frame.width > 0 || empty ? frame.width : columns * cell);
  const SvgRect area = {left, top, std::max(across, 20.0),
                        std::max(frame.height - top - below, 20.0)};
  SvgWriter svg(
      picture_of(frame, fmt::format("Heat map of {} rows and {} columns",
                                    plot.rows.size(), plot.columns.size())));
  draw_title(svg, frame);
  if (empty) {
    draw_no_data(svg, area);
  } else {
    draw_cells(svg, plot, area);
  }
  draw_row_labels(svg, area, plot.rows);
  draw_column_names(svg, area, plot);
  draw_y_title(svg, area, plot.y_title);
  draw_x_title(svg, area, names, plot.x_title);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
