#pragma once
#include <string>
#include <vector>

#include "lab/report/svg.h"

namespace ordered_gnn::lab {

/// Pixels that names left of an area take; at most a third of the picture.
double row_labels_width(const std::vector<std::string>& names,
                        double picture_width);

/// Names left of an area, one per row of equal height; of rows too close to
/// each other only some are named.
void draw_row_labels(SvgWriter& svg, const SvgRect& area,
                     const std::vector<std::string>& names);

}  // namespace ordered_gnn::lab
