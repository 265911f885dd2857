#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

BoxPlotGrid gate_plot(size_t panels, size_t boxes) {
  BoxPlotGrid plot;
  plot.frame.title = "gates";
  plot.x_title = "gate";
  for (size_t k = 0; k < panels; ++k) {
    plot.panels.push_back({"layer " + std::to_string(k + 1), {}, {}});
    plot.panels.back().boxes.assign(boxes, {0, 0.25, 0.5, 0.75, 1});
  }
  return plot;
}

TEST(BoxPlotGrid, DrawsBoxesAtTheirHeights) {
  const SvgDocument document = parse_svg(box_plot_grid(gate_plot(1, 2)));
  ASSERT_EQ(document.error, "");
  const SvgElement panel = document.with_class("og-panel").at(0);
  const double top = panel.number("y"), height = panel.number("height");
  const auto boxes = document.with_class("og-box", "rect");
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_NEAR(boxes[0].number("y"), top + 0.25 * height, 0.02);
  EXPECT_NEAR(boxes[0].number("height"), 0.5 * height, 0.02);
  const auto medians = document.with_class("og-median");
  ASSERT_EQ(medians.size(), 2u);
  EXPECT_NEAR(medians[0].number("y1"), top + 0.5 * height, 0.02);
  // Per box a whisker to both sides and their caps.
  const auto whiskers = document.with_class("og-whisker");
  ASSERT_EQ(whiskers.size(), 8u);
  EXPECT_NEAR(whiskers[0].number("y1"), top + height, 0.02);
  EXPECT_NEAR(whiskers[0].number("y2"), top + 0.75 * height, 0.02);
  EXPECT_NEAR(whiskers[1].number("y2"), top, 0.02);
}

TEST(BoxPlotGrid, EndsWhiskersAtTheTailsAndMarksOutliers) {
  BoxPlotGrid plot = gate_plot(1, 2);
  plot.panels[0].tails = {{0.125, 1, 2, {0, 0.1f}}, {0, 1, 0, {}}};
  const SvgDocument document = parse_svg(box_plot_grid(plot));
  ASSERT_EQ(document.error, "");
  const SvgElement panel = document.with_class("og-panel").at(0);
  const double bottom = panel.number("y") + panel.number("height");
  const double height = panel.number("height");
  const auto whiskers = document.with_class("og-whisker");
  ASSERT_EQ(whiskers.size(), 8u);
  EXPECT_NEAR(whiskers[0].number("y1"), bottom - 0.125 * height, 0.02);
  EXPECT_NEAR(whiskers[4].number("y1"), bottom, 0.02);
  const auto outliers = document.with_class("og-outlier", "line");
  ASSERT_EQ(outliers.size(), 2u);
  EXPECT_NEAR(outliers[0].number("y1"), bottom, 0.02);
  EXPECT_NEAR(outliers[1].number("y2"), bottom - 0.1 * height, 0.02);
}

// Thousands of outliers at one place would be thousands of equal dots.
TEST(BoxPlotGrid, MarksOutliersThatLookLikeOneOnce) {
  BoxPlotGrid plot = gate_plot(1, 1);
  plot.panels[0].tails = {{0.25, 1, 900, std::vector<float>(20, 0.1f)}};
  const std::string text = box_plot_grid(plot);
  EXPECT_EQ(parse_svg(text).with_class("og-outlier", "line").size(), 1u);
  EXPECT_TRUE(contains(text, "900 outliers"));
}

TEST(BoxPlotGrid, ATailWithoutANumberLeavesTheLongWhiskers) {
  BoxPlotGrid plot = gate_plot(1, 1);
  plot.panels[0].tails = {{NAN, 1, 1, {0.1f}}};
  const std::string broken = box_plot_grid(plot);
  EXPECT_TRUE(is_valid_svg(broken));
  const SvgDocument document = parse_svg(broken);
  const SvgElement panel = document.with_class("og-panel").at(0);
  EXPECT_NEAR(document.with_class("og-whisker").at(0).number("y1"),
              panel.number("y") + panel.number("height"), 0.02);
  EXPECT_TRUE(document.with_class("og-outlier", "line").empty());
  plot.panels[0].tails = {{0, 1, 3, {NAN, -INFINITY, 7}}};
  EXPECT_TRUE(is_valid_svg(box_plot_grid(plot)));
  plot.panels[0].tails.resize(2);
  EXPECT_TRUE(contains(error_of([&] { box_plot_grid(plot); }), "2 tails"));
}

TEST(BoxPlotGrid, ArrangesPanels) {
  const auto columns = [](size_t panels, int wanted) {
    BoxPlotGrid plot = gate_plot(panels, 3);
    plot.columns = wanted;
    const SvgDocument document = parse_svg(box_plot_grid(plot));
    const auto areas = document.with_class("og-panel");
    size_t count = 0;
    for (const SvgElement& area : areas) {
      count += area.number("y") == areas[0].number("y") ? 1u : 0u;
    }
    return count;
  };
  EXPECT_EQ(columns(1, 0), 1u);
  EXPECT_EQ(columns(4, 0), 2u);
  EXPECT_EQ(columns(5, 0), 5u);
  EXPECT_EQ(columns(8, 0), 4u);
  EXPECT_EQ(columns(64, 0), 8u);
  EXPECT_EQ(columns(8, 3), 3u);
  EXPECT_EQ(columns(2, 7), 2u);
}

TEST(BoxPlotGrid, NumbersManyBoxesSparsely) {
  const std::string text = box_plot_grid(gate_plot(8, 64));
  EXPECT_TRUE(is_valid_svg(text));
  const SvgDocument document = parse_svg(text);
  EXPECT_TRUE(document.has_text("64"));
  EXPECT_FALSE(document.has_text("63"));
  EXPECT_EQ(document.with_class("og-median").size(), 8u * 64u);
  EXPECT_LT(text.size(), 200000u);
}

TEST(BoxPlotGrid, IsValidForEveryInput) {
  EXPECT_TRUE(is_valid_svg(box_plot_grid({})));
  EXPECT_TRUE(parse_svg(box_plot_grid({})).has_text("no data"));
  EXPECT_TRUE(is_valid_svg(box_plot_grid(gate_plot(3, 0))));
  BoxPlotGrid plot = gate_plot(2, 1);
  plot.panels[0].boxes[0].q1 = NAN;
  plot.panels[1].boxes[0] = {-3, -2, 2, 9, INFINITY};
  EXPECT_TRUE(is_valid_svg(box_plot_grid(plot)));
  EXPECT_TRUE(parse_svg(box_plot_grid(plot)).with_class("og-median").empty());
  plot.panels[1].boxes[0] = {-3, -2, 2, 9, 11};
  plot.y = {};
  EXPECT_TRUE(is_valid_svg(box_plot_grid(plot)));
  EXPECT_TRUE(is_valid_svg(box_plot_grid(gate_plot(1, 5000))));
  EXPECT_TRUE(is_valid_svg(box_plot_grid(gate_plot(200, 2))));
}

TEST(BoxPlotGrid, RefusesSettingsThatCannotBe) {
  BoxPlotGrid plot = gate_plot(1, 1);
  plot.columns = -1;
  EXPECT_TRUE(contains(error_of([&] { box_plot_grid(plot); }), "-1 panels"));
  plot = gate_plot(1, 1);
  plot.y.scale = AxisScale::log2;
  EXPECT_FALSE(error_of([&] { box_plot_grid(plot); }).empty());
}

}  // namespace
}  // namespace ordered_gnn::lab
