#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

StackedBars share_plot() {
  StackedBars plot;
  plot.frame.title = "hop shares";
  plot.x = {"share of the neurons, %", AxisScale::linear, 0, 100};
  plot.rows = {"all nodes", "class <a>"};
  plot.series = {{"ego", {50, 20}}, {"hop 1", {25, 80}}, {"hop 2", {25, NAN}}};
  plot.ordered = true;
  plot.unit = " %";
  return plot;
}

TEST(StackedBars, PartsFollowEachOtherInProportion) {
  const std::string text = drawn(stacked_bars, share_plot());
  const auto parts = parse_svg(text).with_class("og-part", "rect");
  ASSERT_EQ(parts.size(), 5u);  // the missing one has no length
  EXPECT_NEAR(parts[0].number("width"), 2 * parts[1].number("width"), 0.05);
  EXPECT_NEAR(parts[0].number("x") + parts[0].number("width"),
              parts[1].number("x"), 0.02);
  EXPECT_EQ(parts[0].number("y"), parts[2].number("y"));
  EXPECT_LT(parts[2].number("y") + parts[2].number("height"),
            parts[3].number("y"));
  EXPECT_NEAR(parts[3].number("width") + parts[4].number("width"),
              parts[0].number("width") + parts[1].number("width") +
                  parts[2].number("width"),
              0.05);
  EXPECT_NE(text.find("class &lt;a&gt;, hop 1: 80 %"), std::string::npos);
}

TEST(StackedBars, AnOrderHasShadesAndItsFirstAColour) {
  const SvgDocument ordered = parse_svg(stacked_bars(share_plot()));
  EXPECT_EQ(ordered.with_class("og-s1", "rect").size(), 3u);  // and the legend
  EXPECT_EQ(ordered.with_class("og-q1", "rect").size(), 3u);
  EXPECT_EQ(ordered.with_class("og-q8", "rect").size(), 2u);
  StackedBars plot = share_plot();
  plot.ordered = false;
  const SvgDocument plain = parse_svg(stacked_bars(plot));
  EXPECT_EQ(plain.with_class("og-s2", "rect").size(), 2u);
}

TEST(StackedBars, NamesRowsNotesAndSeries) {
  StackedBars plot = share_plot();
  plot.notes = {"60 nodes", "20 nodes"};
  const SvgDocument document = parse_svg(stacked_bars(plot));
  for (const char* text : {"all nodes", "60 nodes", "hop 2", "hop shares",
                           "share of the neurons, %"}) {
    EXPECT_TRUE(document.has_text(text)) << text;
  }
}

TEST(StackedBars, IsValidForNothingOnePartAndMany) {
  EXPECT_TRUE(parse_svg(stacked_bars({})).has_text("no data"));
  StackedBars one;
  one.rows = {"a"};
  one.series = {{"s", {0}}};
  EXPECT_TRUE(is_valid_svg(stacked_bars(one)));
  StackedBars many;
  many.ordered = true;
  for (int i = 0; i < 200; ++i) many.rows.push_back(std::to_string(i));
  for (int i = 0; i < 65; ++i) {
    many.series.push_back(
        {std::to_string(i), std::vector<double>(200, 1.0 / 65)});
  }
  const std::string text = stacked_bars(many);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(parse_svg(text).with_class("og-part", "rect").size(), 200u * 65);
}

TEST(StackedBars, RefusesWhatDoesNotFit) {
  StackedBars plot = share_plot();
  plot.series[0].values.pop_back();
  EXPECT_TRUE(contains(error_of([&] { stacked_bars(plot); }),
                       "parts 'ego' have 1 values for 2 rows"));
  plot = share_plot();
  plot.series[1].values[0] = -1;
  EXPECT_TRUE(contains(error_of([&] { stacked_bars(plot); }),
                       "part 'hop 1' is -1, below 0"));
  plot = share_plot();
  plot.notes = {"one"};
  EXPECT_TRUE(
      contains(error_of([&] { stacked_bars(plot); }), "1 notes for 2 rows"));
  plot = share_plot();
  plot.x.scale = AxisScale::log2;
  EXPECT_TRUE(contains(error_of([&] { stacked_bars(plot); }), "logarithmic"));
}

}  // namespace
}  // namespace ordered_gnn::lab
