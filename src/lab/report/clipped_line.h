#pragma once
#include <string>
#include <vector>

#include "lab/report/svg.h"

namespace ordered_gnn::lab {

/// The parts of a line through `points` that are inside the area. Cut here and
/// not by a clip path, which needs an identifier and would halve marks too.
void draw_clipped_line(SvgWriter& svg, const std::vector<SvgPoint>& points,
                       const SvgRect& area, const std::string& classes);

}  // namespace ordered_gnn::lab
