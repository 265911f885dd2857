#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

BarPlot ablation_plot() {
  BarPlot plot;
  plot.frame.title = "ablation";
  plot.y.title = "accuracy";
  plot.groups = {"CiteSeer", "Wisconsin", "\"Actor\""};
  plot.series.push_back({"bare", {40, 80, NAN}, {2, NAN, 1}});
  plot.series.push_back({"gated", {60, 100, 20}, {}});
  return plot;
}

TEST(BarPlot, DrawsHeightsInProportion) {
  const std::string text = drawn(bar_plot, ablation_plot());
  const SvgDocument document = parse_svg(text);
  // The first of each class is the legend's.
  const auto bars = document.with_class("og-s0", "rect");
  const auto other = document.with_class("og-s1", "rect");
  ASSERT_EQ(bars.size(), 3u);
  ASSERT_EQ(other.size(), 4u);
  EXPECT_NEAR(bars[1].number("height"), 2 * bars[0].number("height"), 0.02);
  EXPECT_NEAR(other[1].number("y"),
              document.text_element("100").number("y") - 4, 0.01);
  EXPECT_NEAR(bars[0].number("y") + bars[0].number("height"),
              document.text_element("0").number("y") - 4, 0.01);
  EXPECT_LT(bars[0].number("x") + bars[0].number("width"),
            other[0].number("x"));
  EXPECT_EQ(document.with_class("og-error").size(), 3u);
  EXPECT_TRUE(document.has_text("&quot;Actor&quot;"));
  BarPlot titled = ablation_plot();
  titled.x_title = "graph";
  const SvgDocument with_title = parse_svg(bar_plot(titled));
  EXPECT_GT(with_title.text_element("graph").number("y"),
            with_title.text_element("CiteSeer").number("y"));
}

TEST(BarPlot, StandsOnZeroOrOnTheGivenEnd) {
  BarPlot plot = ablation_plot();
  plot.y.min = 40;
  const SvgDocument document = parse_svg(bar_plot(plot));
  const auto other = document.with_class("og-s1", "rect");
  const double base = document.text_element("40").number("y") - 4;
  EXPECT_NEAR(other[0].number("y") + other[0].number("height"), base, 0.01);
  EXPECT_NEAR(other[2].number("height"), 0, 0.01);  // 20 is below the axis
  BarPlot negative;
  negative.groups = {"a"};
  negative.series.push_back({"s", {-5}, {1}});
  negative.value_digits = 1;
  const std::string text = bar_plot(negative);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_TRUE(parse_svg(text).has_text("-5.0"));
}

TEST(BarPlot, SlantsNamesThatDoNotFit) {
  BarPlot plot = ablation_plot();
  const auto turned = [](const SvgDocument& document) {
    int64_t count = 0;
    for (const SvgElement& element : document.with_class("og-tick", "text")) {
      count += static_cast<int64_t>(element.attributes.count("transform"));
    }
    return count;
  };
  EXPECT_EQ(turned(parse_svg(bar_plot(plot))), 0);
  plot.groups[0] = "a name that is far too long to stand below two bars";
  EXPECT_EQ(turned(parse_svg(bar_plot(plot))), 3);
}

TEST(BarPlot, IsValidForEveryInput) {
  BarPlot plot;
  EXPECT_TRUE(is_valid_svg(bar_plot(plot)));
  EXPECT_TRUE(parse_svg(bar_plot(plot)).has_text("no data"));
  plot.groups = {"only"};
  EXPECT_TRUE(is_valid_svg(bar_plot(plot)));
  for (const double value : {0.0, kMissing, double{INFINITY}, -7.0, 1e300}) {
    plot.series = {{"s", {value}, {value}}};
    EXPECT_TRUE(is_valid_svg(bar_plot(plot))) << value;
  }
  plot.groups.assign(5000, "group");
  plot.series = {{"s", std::vector<double>(5000, 3), {}}};
  EXPECT_TRUE(is_valid_svg(bar_plot(plot)));
}

TEST(BarPlot, RefusesWhatDoesNotFitTheGroups) {
  BarPlot plot = ablation_plot();
  plot.series[1].values.pop_back();
  EXPECT_TRUE(contains(error_of([&] { bar_plot(plot); }), "'gated'"));
  plot = ablation_plot();
  plot.y.scale = AxisScale::log10;
  EXPECT_TRUE(contains(error_of([&] { bar_plot(plot); }), "logarithmic"));
}

}  // namespace
}  // namespace ordered_gnn::lab
