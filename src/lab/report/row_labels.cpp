#include "lab/report/row_labels.h"

#include <algorithm>
#include <cmath>

#include "lab/report/style_sheet.h"
#include "lab/report/text_width.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kNameMargin = 16, kNameGap = 8;
constexpr double kClosestNames = 14;

}  // namespace

double row_labels_width(const std::vector<std::string>& names,
                        double picture_width) {
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, text_width(name, kTickSize));
  }
  return kNameMargin + std::min(widest, picture_width / 3) + kNameGap;
}

void draw_row_labels(SvgWriter& svg, const SvgRect& area,
                     const std::vector<std::string>& names) {
  if (names.empty()) return;
  const double height = area.height / static_cast<double>(names.size());
  const auto stride =
      static_cast<size_t>(std::max(1.0, std::ceil(kClosestNames / height)));
  for (size_t i = 0; i < names.size(); i += stride) {
    svg.text({area.x - kNameGap,
              area.y + (static_cast<double>(i) + 0.5) * height + 4},
             fitted(names[i], kTickSize, area.x - kNameMargin - kNameGap + 1),
             {TextAnchor::end, "og-tick"});
  }
}

}  // namespace ordered_gnn::lab
