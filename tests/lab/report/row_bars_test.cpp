#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

RowBars importance_plot() {
  RowBars plot;
  plot.frame.title = "Importance";
  plot.x = {"drop", AxisScale::linear, -10, 40};
  plot.rows = {
      {"age & more", 20, 10}, {"plan", -10, kMissing}, {"gap", NAN, 1}};
  plot.unit = " points";
  return plot;
}

TEST(RowBars, GoFromZeroToTheValueBothWays) {
  const std::string text = drawn(row_bars, importance_plot());
  const SvgDocument document = parse_svg(text);
  const auto x_of = [&](const char* label) {
    return document.text_element(label).number("x");
  };
  const auto right = document.with_class("og-s0", "rect");
  ASSERT_EQ(right.size(), 1u);
  EXPECT_NEAR(right[0].number("x"), x_of("0"), 0.02);
  EXPECT_NEAR(right[0].number("x") + right[0].number("width"), x_of("20"),
              0.02);
  const auto left = document.with_class("og-s1", "rect");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_NEAR(left[0].number("x") + left[0].number("width"), x_of("0"), 0.02);
  const auto errors = document.with_class("og-error");
  ASSERT_EQ(errors.size(), 3u) << "one bar and its two caps";
  EXPECT_NEAR(errors[0].number("x1"), x_of("10"), 0.02);
  EXPECT_NEAR(errors[0].number("x2"), x_of("30"), 0.02);
  EXPECT_TRUE(document.has_text("age &amp; more"));
  EXPECT_TRUE(contains(text, "20.00 ± 10.00 points"));
}

TEST(RowBars, IsValidForEveryInput) {
  EXPECT_TRUE(parse_svg(row_bars({})).has_text("no data"));
  RowBars plot;
  for (const double value :
       {kMissing, double{INFINITY}, 0.0, -2.0, 5.0, 1e300}) {
    plot.rows.push_back({"<row>", value, value});
    EXPECT_TRUE(is_valid_svg(row_bars(plot))) << value;
  }
  plot.rows.assign(2000, {"row", 3, 0});
  EXPECT_TRUE(is_valid_svg(row_bars(plot)));
  plot.x.scale = AxisScale::log10;
  EXPECT_TRUE(contains(error_of([&] { row_bars(plot); }), "begin at 0"));
}

}  // namespace
}  // namespace ordered_gnn::lab
