#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

LinePlot depth_plot() {
  LinePlot plot;
  plot.frame.title = "depth <Cora>";
  plot.x = {"layers", AxisScale::log2, 2, 32};
  plot.y = {"accuracy", AxisScale::linear, 50, 90};
  plot.series.push_back({"a & b", {2, 8, 32}, {90, 70, 50}, {1, 1, 1}});
  plot.series.push_back({"gap", {2, 4, 8, 16}, {60, 60, NAN, 60}, {}});
  return plot;
}

TEST(LinePlot, PutsPointsWhereTheAxesSay) {
  const SvgDocument document = parse_svg(line_plot(depth_plot()));
  ASSERT_EQ(document.error, "");
  const auto points = document.with_class("og-s0", "polyline").at(0).points();
  ASSERT_EQ(points.size(), 3u);
  // The y axis: its labels stand four pixels below the lines they name.
  EXPECT_NEAR(points[0].second, document.text_element("90").number("y") - 4,
              0.01);
  EXPECT_NEAR(points[2].second, document.text_element("50").number("y") - 4,
              0.01);
  EXPECT_NEAR(points[0].first, document.text_element("2").number("x"), 0.01);
  EXPECT_NEAR(points[1].first, document.text_element("8").number("x"), 0.01);
  EXPECT_NEAR(points[2].first, document.text_element("32").number("x"), 0.01);
  // A point at the end of both axes is at the corner of the plot.
  const SvgElement axis = document.with_class("og-axis").at(0);
  EXPECT_NEAR(points[2].first, axis.number("x2"), 0.01);
  EXPECT_NEAR(points[2].second, axis.number("y2"), 0.01);
}

TEST(LinePlot, LeavesGapsAtMissingValues) {
  const SvgDocument document = parse_svg(line_plot(depth_plot()));
  const auto lines = document.with_class("og-s1", "polyline");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].points().size(), 2u);
  // One mark in the legend and three on the points; squares are polygons.
  EXPECT_EQ(document.with_class("og-s1", "polygon").size(), 4u);
}

TEST(LinePlot, EscapesNamesAndKeepsThemInTheLegend) {
  const std::string text = line_plot(depth_plot());
  EXPECT_TRUE(is_valid_svg(text));
  const SvgDocument document = parse_svg(text);
  EXPECT_TRUE(document.has_text("a &amp; b"));
  EXPECT_TRUE(document.has_text("gap"));
  EXPECT_TRUE(document.has_text("depth &lt;Cora&gt;"));
  EXPECT_EQ(text, line_plot(depth_plot()));
}

TEST(LinePlot, DrawsErrorBarsAndBands) {
  LinePlot plot = depth_plot();
  // Bars end at 89 and 91, of which the second is beyond the axis: no cap.
  EXPECT_EQ(parse_svg(line_plot(plot)).with_class("og-whisker").size(),
            3u + 4u);
  plot.series[0].error_mark = ErrorMark::band;
  const SvgDocument document = parse_svg(line_plot(plot));
  EXPECT_TRUE(document.with_class("og-whisker").empty());
  ASSERT_EQ(document.with_class("og-area").size(), 1u);
  EXPECT_EQ(document.with_class("og-area")[0].points().size(), 6u);
}

TEST(LinePlot, CutsLinesAtAGivenRange) {
  LinePlot plot;
  plot.x = {"", AxisScale::linear, 0, 4};
  plot.y = {"", AxisScale::linear, 0, 1};
  plot.series.push_back({"", {0, 1, 2, 3, 4}, {0.5, 0.5, 2.5, 0.5, 0.5}, {}});
  const SvgDocument document = parse_svg(line_plot(plot));
  const auto lines = document.with_class("og-line", "polyline");
  ASSERT_EQ(lines.size(), 2u);
  const double top = document.text_element("1.0").number("y") - 4;
  EXPECT_NEAR(lines[0].points().back().second, top, 0.01);
  EXPECT_NEAR(lines[1].points().front().second, top, 0.01);
  EXPECT_EQ(document.with_class("og-mark").size(), 4u);
  EXPECT_TRUE(document.with_class("og-tick", "line").empty());
}

TEST(LinePlot, IsValidForEveryInput) {
  LinePlot plot;
  EXPECT_TRUE(is_valid_svg(line_plot(plot)));
  EXPECT_TRUE(parse_svg(line_plot(plot)).has_text("no data"));
  plot.series.push_back({"one", {1}, {1}, {NAN}});
  EXPECT_TRUE(is_valid_svg(line_plot(plot)));
  EXPECT_FALSE(parse_svg(line_plot(plot)).has_text("no data"));
  const std::vector<double> odd = {NAN, INFINITY, -INFINITY, 1e300, 0, -1, 5};
  for (const AxisScale scale :
       {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
    for (const ErrorMark mark : {ErrorMark::bars, ErrorMark::band}) {
      LinePlot wild;
      wild.x.scale = wild.y.scale = scale;
      for (size_t k = 0; k < odd.size(); ++k) {
        std::vector<double> turned = odd;
        std::rotate(turned.begin(), turned.begin() + static_cast<long>(k),
                    turned.end());
        wild.series.push_back({"s", odd, turned, turned, mark});
      }
      EXPECT_TRUE(is_valid_svg(line_plot(wild)));
    }
  }
}

TEST(LinePlot, HoldsThousandsOfSeriesAndPoints) {
  LinePlot plot;
  for (int k = 0; k < 5000; ++k) {
    plot.series.push_back({"series", {0, 1}, {0.0 + k, 1.0 + k}, {}});
  }
  const std::string text = line_plot(plot);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(parse_svg(text).with_class("og-line", "polyline").size(), 5000u);
  LinePlot long_plot;
  long_plot.series.resize(1);
  for (int i = 0; i < 20000; ++i) {
    long_plot.series[0].x.push_back(i);
    long_plot.series[0].y.push_back(std::sin(i * 0.01));
  }
  const SvgDocument document = parse_svg(line_plot(long_plot));
  EXPECT_TRUE(document.with_class("og-mark").empty());
  EXPECT_EQ(document.with_class("og-line").at(0).points().size(), 20000u);
}

TEST(LinePlot, RefusesListsOfDifferentLengths) {
  LinePlot plot;
  plot.series.push_back({"s", {1, 2}, {1}, {}});
  EXPECT_TRUE(contains(error_of([&] { line_plot(plot); }), "series 's'"));
  plot.series[0] = {"s", {1, 2}, {1, 2}, {1}};
  EXPECT_TRUE(contains(error_of([&] { line_plot(plot); }), "1 errors"));
  plot.series.clear();
  plot.frame.width = 3;
  EXPECT_TRUE(contains(error_of([&] { line_plot(plot); }), "3 x 400"));
}

TEST(LinePlot, ALineWithoutMarksStillMarksAPointByItself) {
  LinePlot plot;
  plot.series.push_back({"curve", {1, 2, 3}, {1, 2, 3}, {}});
  plot.series.push_back({"chosen", {2}, {2}, {}});
  plot.series[0].marks = plot.series[1].marks = false;
  const SvgDocument document = parse_svg(line_plot(plot));
  EXPECT_EQ(document.with_class("og-hover").size(), 3u);
  EXPECT_EQ(document.with_class("og-mark").size(), 1u);
}

TEST(LinePlot, LongLinesShowValuesUnderThePointer) {
  LinePlot plot;
  plot.series.resize(1);
  for (int i = 0; i < 1000; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(i % 7);
  }
  const std::string text = line_plot(plot);
  EXPECT_TRUE(is_valid_svg(text));
  const SvgDocument document = parse_svg(text);
  EXPECT_TRUE(document.with_class("og-mark").empty());
  const size_t marks = document.with_class("og-hover").size();
  EXPECT_GT(marks, 50u);
  EXPECT_LE(marks, 100u);
  EXPECT_NE(text.find("<title>22: 1</title>"), std::string::npos);
}

}  // namespace
}  // namespace ordered_gnn::lab
