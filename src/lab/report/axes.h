#pragma once
#include <string>
#include <vector>

#include "lab/report/plots.h"
#include "lab/report/scale.h"
#include "lab/report/svg.h"

namespace ordered_gnn::lab {

/// The frame with sizes filled in where they were 0.
/// @throws Error for sizes that no plot fits into.
PlotFrame sized(PlotFrame frame, double width, double height);

/// The picture of a frame; `content` describes it where the frame does not.
SvgPicture picture_of(const PlotFrame& frame, const std::string& content);

/// Pixels above the content: those of the title, or a margin.
double title_height(const PlotFrame& frame);
/// Of a picture in which the title is not cut.
double title_width(const PlotFrame& frame);
void draw_title(SvgWriter& svg, const PlotFrame& frame);

/// "no data" in the middle of an area that has none.
void draw_no_data(SvgWriter& svg, const SvgRect& area);

/// Pixels that tick labels and title take left of an area.
double y_axis_width(const Scale& scale, const std::string& title);
/// Grid lines, labels and title left of the area.
void draw_y_axis(SvgWriter& svg, const SvgRect& area, const Scale& scale,
                 const std::string& title);
/// The title alone, at the left edge of the picture.
void draw_y_title(SvgWriter& svg, const SvgRect& area,
                  const std::string& title);

constexpr double kXTicksHeight = 22;
/// Pixels that tick labels and title take below an area.
double x_axis_height(const std::string& title);
/// Grid lines, the axis itself, labels and title below the area.
void draw_x_axis(SvgWriter& svg, const SvgRect& area, const Scale& scale,
                 const std::string& title);
/// The title alone, below tick labels that take `labels` pixels.
void draw_x_title(SvgWriter& svg, const SvgRect& area, double labels,
                  const std::string& title);

/// A vertical error bar with caps, cut at the ends of the scale.
void draw_error_bar(SvgWriter& svg, const Scale& y, double x, double value,
                    double error, const std::string& classes);

/// "og-s3" for the fourth series.
std::string series_class(int index);

struct LegendEntry {
  enum class Kind { line, swatch };
  Kind kind = Kind::line;
  std::string name;
  int color = 0;
  int mark = 0;
  bool dashed = false;
  std::string classes = "";  ///< instead of the colour's, when not empty
};

/// Pixels that a legend takes right of the area; 0 without a name to show.
double legend_width(const std::vector<LegendEntry>& entries,
                    double picture_width);
/// Right of the area, from its top; what does not fit its height is counted in
/// a last line.
void draw_legend(SvgWriter& svg, const SvgRect& area,
                 const std::vector<LegendEntry>& entries, double picture_width);

}  // namespace ordered_gnn::lab
