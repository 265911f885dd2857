#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/axes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kCountsHeight = 70;
constexpr double kCountsGap = 16;

bool is_filled(const ReliabilityBin& bin) {
  return bin.count > 0 && is_shown(bin.accuracy, AxisScale::linear) &&
         is_shown(bin.confidence, AxisScale::linear);
}

double total_count(const ReliabilityDiagram& plot) {
  double total = 0;
  for (const ReliabilityBin& bin : plot.bins) {
    if (!(bin.low <= bin.high) || !(bin.count >= 0)) {
      fail("a bin from {} to {} with {} nodes cannot be", bin.low, bin.high,
           bin.count);
    }
    if (is_filled(bin)) total += bin.count;
  }
  return total;
}

struct ReliabilityScales {
  Scale x, y, counts;
};

// The bar up to the accuracy, and from there to the confidence.
void draw_bin(SvgWriter& svg, const ReliabilityBin& bin,
              const ReliabilityScales& on, double share) {
  const double left = on.x.clamped(bin.low) + 0.5;
  const double width = std::max(on.x.clamped(bin.high) - left - 0.5, 0.5);
  const double base = on.y.at(0);
  const double accuracy = on.y.clamped(bin.accuracy);
  const double confidence = on.y.clamped(bin.confidence);
  const std::string tooltip = fmt::format(
      "confidence {:.2f} to {:.2f}: {:.1f} % right, mean confidence {:.1f} %, "
      "{:.0f} nodes",
      bin.low, bin.high, 100 * bin.accuracy, 100 * bin.confidence, bin.count);
  svg.rect({left, accuracy, width, base - accuracy}, "og-bin og-bar og-s0",
           tooltip);
  svg.rect({left, std::min(accuracy, confidence), width,
            std::fabs(accuracy - confidence)},
           "og-area og-s1", tooltip);
  svg.line({left, confidence}, {left + width, confidence}, "og-median");
  const double top = on.counts.clamped(share);
  svg.rect({left, top, width, on.counts.at(0) - top}, "og-bar og-s6",
           fmt::format("confidence {:.2f} to {:.2f}: {:.1f} % of the nodes",
                       bin.low, bin.high, share));
}

std::vector<LegendEntry> reliability_legend() {
  LegendEntry right, gap, ideal;
  right.kind = gap.kind = LegendEntry::Kind::swatch;
  right.name = "right";
  gap.name = "to confidence";
  gap.classes = "og-s1 og-area";
  ideal.name = "calibrated";
  ideal.color = 6;
  ideal.dashed = true;
  return {right, gap, ideal};
}

}  // namespace

std::string reliability_diagram(const ReliabilityDiagram& plot) {
  const double total = total_count(plot);
  const PlotFrame frame = sized(plot.frame, 560, 460);
  ValueRange shares;
  shares.add(0);
  for (const ReliabilityBin& bin : plot.bins) {
    if (is_filled(bin)) shares.add(100 * bin.count / total);
  }
  ReliabilityScales on{
      Scale({"", AxisScale::linear, 0, 1}, {}, AxisMargin::to_ticks, 6),
      Scale({"", AxisScale::linear, 0, 1}, {}, AxisMargin::to_ticks, 6),
      Scale({"", AxisScale::linear, 0, kMissing}, shares, AxisMargin::to_ticks,
            2)};
  const std::vector<LegendEntry> legend = reliability_legend();
  const double left = y_axis_width(on.y, "accuracy");
  const double top = title_height(frame);
  const double below = x_axis_height("confidence");
  const double right = 16 + legend_width(legend, frame.width);
  const double width = std::max(frame.width - left - right, 20.0);
  const SvgRect area = {
      left, top, width,
      std::max(frame.height - top - below - kCountsHeight - kCountsGap, 20.0)};
  const SvgRect lower = {left, area.y + area.height + kCountsGap, width,
                         kCountsHeight};
  on.x.place(area.x, area.x + area.width);
  on.y.place(area.y + area.height, area.y);
  on.counts.place(lower.y + lower.height, lower.y);
  SvgWriter svg(picture_of(
      frame, fmt::format("Reliability diagram of {} bins; {:.0f} nodes",
                         plot.bins.size(), total)));
  draw_title(svg, frame);
  draw_y_axis(svg, area, on.y, "accuracy");
  draw_y_axis(svg, lower, on.counts, "% of nodes");
  draw_x_axis(svg, lower, on.x, "confidence");
  for (const ReliabilityBin& bin : plot.bins) {
    if (is_filled(bin)) draw_bin(svg, bin, on, 100 * bin.count / total);
  }
  svg.line({on.x.at(0), on.y.at(0)}, {on.x.at(1), on.y.at(1)},
           "og-line og-dash og-s6");
  svg.text({area.x + 8, area.y + 16}, plot.note,
           {TextAnchor::start, "og-tick og-halo"});
  if (total == 0) draw_no_data(svg, area);
  draw_legend(svg, area, legend, frame.width);
  return svg.finish();
}

}  // namespace ordered_gnn::lab
