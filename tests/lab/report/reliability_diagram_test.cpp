#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

ReliabilityDiagram two_bins() {
  ReliabilityDiagram plot;
  plot.frame.title = "calibration";
  plot.note = "ECE 12.5 %";
  plot.bins = {{0, 0.5, 0.4, 0.4, 10}, {0.5, 1, 0.9, 0.8, 30}};
  return plot;
}

TEST(ReliabilityDiagram, BarsReachTheAccuracy) {
  const std::string text = drawn(reliability_diagram, two_bins());
  const SvgDocument document = parse_svg(text);
  const auto bars = document.with_class("og-bin", "rect");
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(bars[1].number("height"), 2 * bars[0].number("height"), 0.02);
  EXPECT_NEAR(bars[0].number("width"), bars[1].number("width"), 0.02);
  EXPECT_NE(text.find("80.0 % right, mean confidence 90.0 %, 30 nodes"),
            std::string::npos);
  EXPECT_TRUE(document.has_text("ECE 12.5 %"));
  EXPECT_TRUE(document.has_text("confidence"));
  EXPECT_TRUE(document.has_text("accuracy"));
}

TEST(ReliabilityDiagram, CountsAreSharesOfAllNodes) {
  const std::string text = reliability_diagram(two_bins());
  EXPECT_NE(text.find("0.00 to 0.50: 25.0 % of the nodes"), std::string::npos);
  EXPECT_NE(text.find("0.50 to 1.00: 75.0 % of the nodes"), std::string::npos);
}

TEST(ReliabilityDiagram, LeavesEmptyBinsOut) {
  ReliabilityDiagram plot = two_bins();
  plot.bins[0] = {0, 0.5, NAN, NAN, 0};
  const std::string text = reliability_diagram(plot);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(parse_svg(text).with_class("og-bin", "rect").size(), 1u);
  EXPECT_TRUE(parse_svg(reliability_diagram({})).has_text("no data"));
}

TEST(ReliabilityDiagram, RefusesBinsThatCannotBe) {
  ReliabilityDiagram plot = two_bins();
  plot.bins[0].low = 0.7;
  EXPECT_TRUE(contains(error_of([&] { reliability_diagram(plot); }),
                       "a bin from 0.7 to 0.5"));
  plot = two_bins();
  plot.bins[0].count = -1;
  EXPECT_TRUE(
      contains(error_of([&] { reliability_diagram(plot); }), "with -1 nodes"));
}

}  // namespace
}  // namespace ordered_gnn::lab
