#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

HeatMap confusion() {
  HeatMap plot;
  plot.frame.title = "confusion";
  plot.x_title = "predicted";
  plot.y_title = "label";
  plot.columns = plot.rows = {"cat", "dog"};
  plot.values = {{30, 10}, {0, 20}};
  plot.strengths = {{0.75, 0.25}, {0, 1}};
  plot.strength_name = "of its row";
  return plot;
}

TEST(HeatMap, DrawsRowsAndColumnsInPlace) {
  const std::string text = drawn(heat_map, confusion());
  const SvgDocument document = parse_svg(text);
  const auto cells = document.with_class("og-cell", "rect");
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_LT(cells[0].number("x"), cells[1].number("x"));
  EXPECT_EQ(cells[0].number("y"), cells[1].number("y"));
  EXPECT_LT(cells[0].number("y"), cells[2].number("y"));
  EXPECT_NE(text.find("cat → dog: 10 (25.0 % of its row)"), std::string::npos);
  for (const char* name : {"cat", "dog", "30", "predicted", "label"}) {
    EXPECT_TRUE(document.has_text(name)) << name;
  }
}

TEST(HeatMap, IsStrongerForMore) {
  const SvgDocument document = parse_svg(heat_map(confusion()));
  EXPECT_EQ(document.with_class("og-q6", "rect").size(), 1u);
  EXPECT_EQ(document.with_class("og-q2", "rect").size(), 1u);
  EXPECT_EQ(document.with_class("og-q0", "rect").size(), 1u);
  EXPECT_EQ(document.with_class("og-q8", "rect").size(), 1u);
  HeatMap plot = confusion();
  plot.strengths.clear();  // of the largest value
  const SvgDocument plain = parse_svg(heat_map(plot));
  EXPECT_EQ(plain.with_class("og-q8", "rect").size(), 1u);
  EXPECT_EQ(plain.with_class("og-q3", "rect").size(), 1u);  // 10 of 30
}

TEST(HeatMap, LeavesMissingCellsEmptyAndSmallOnesWithoutText) {
  HeatMap plot = confusion();
  plot.values[0][0] = NAN;
  plot.strengths[1][1] = NAN;
  const std::string text = heat_map(plot);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(parse_svg(text).with_class("og-cell", "rect").size(), 3u);
  HeatMap large;
  for (int i = 0; i < 60; ++i) {
    large.rows.push_back("class " + std::to_string(i));
    large.columns.push_back("class " + std::to_string(i));
    large.values.emplace_back(60, 12345.0);
  }
  const std::string many = heat_map(large);
  EXPECT_TRUE(is_valid_svg(many));
  EXPECT_FALSE(parse_svg(many).has_text("12345"));
  EXPECT_NE(many.find("class 3 → class 4: 12345"), std::string::npos);
}

TEST(HeatMap, IsWideEnoughForItsTitle) {
  HeatMap plot;
  plot.frame.title = "Confusion matrix of all labelled test nodes";
  plot.rows = plot.columns = {"a", "b"};
  plot.values = {{1, 2}, {3, 4}};
  const std::string svg = heat_map(plot);
  EXPECT_NE(svg.find(">Confusion matrix of all labelled test nodes</text>"),
            std::string::npos);
}

TEST(HeatMap, IsValidWithoutCells) {
  EXPECT_TRUE(parse_svg(heat_map({})).has_text("no data"));
  EXPECT_TRUE(is_valid_svg(heat_map({})));
}

TEST(HeatMap, RefusesCellsThatDoNotFillIt) {
  HeatMap plot = confusion();
  plot.values[1].push_back(3);
  EXPECT_TRUE(contains(error_of([&] { heat_map(plot); }),
                       "values of a heat map do not fill 2 rows"));
  plot = confusion();
  plot.strengths.pop_back();
  EXPECT_TRUE(contains(error_of([&] { heat_map(plot); }),
                       "strengths of a heat map do not fill"));
}

}  // namespace
}  // namespace ordered_gnn::lab
