#include "lab/report/clipped_line.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ordered_gnn::lab {
namespace {

constexpr double kPixelNoise = 1e-6;

// The part of a segment inside the area, by Liang and Barsky's method.
std::optional<std::pair<SvgPoint, SvgPoint>> inside(const SvgRect& area,
                                                    SvgPoint from,
                                                    SvgPoint to) {
  double begin = 0, end = 1;
  const auto cut = [&](double start, double change, double low, double high) {
    if (change == 0) return start >= low && start <= high;
    const double first = (low - start) / change, last = (high - start) / change;
    begin = std::max(begin, std::min(first, last));
    end = std::min(end, std::max(first, last));
    return begin <= end;
  };
  const double width = to.x - from.x, height = to.y - from.y;
  if (!cut(from.x, width, area.x - kPixelNoise,
           area.x + area.width + kPixelNoise) ||
      !cut(from.y, height, area.y - kPixelNoise,
           area.y + area.height + kPixelNoise)) {
    return std::nullopt;
  }
  return std::make_pair(
      SvgPoint{from.x + begin * width, from.y + begin * height},
      SvgPoint{from.x + end * width, from.y + end * height});
}

}  // namespace

void draw_clipped_line(SvgWriter& svg, const std::vector<SvgPoint>& points,
                       const SvgRect& area, const std::string& classes) {
  std::vector<SvgPoint> line;
  bool inside_at_end = false;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const auto part = inside(area, points[i], points[i + 1]);
    if (!inside_at_end) {
      svg.polyline(line, classes);
      line.clear();
    }
    inside_at_end = false;
    if (!part) continue;
    if (line.empty()) line.push_back(part->first);
    line.push_back(part->second);
    inside_at_end = std::hypot(part->second.x - points[i + 1].x,
                               part->second.y - points[i + 1].y) < kPixelNoise;
  }
  svg.polyline(line, classes);
}

}  // namespace ordered_gnn::lab
