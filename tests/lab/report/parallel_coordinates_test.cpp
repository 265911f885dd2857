#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

ParallelPlot search_plot() {
  ParallelPlot plot;
  plot.frame.title = "search";
  plot.objective_name = "accuracy";
  plot.axes = {{"lr", AxisScale::log10, {}},
               {"gating", AxisScale::linear, {"none", "softor"}}};
  plot.lines = {
      {{0.1, 0}, 70}, {{0.01, 1}, 90}, {{0.001, 1}, 90}, {{0.01, 0}, NAN}};
  return plot;
}

TEST(ParallelCoordinates, LeadsLinesThroughTheirValues) {
  const std::string text = drawn(parallel_coordinates, search_plot());
  const SvgDocument document = parse_svg(text);
  const auto best = document.with_class("og-best", "polyline");
  ASSERT_EQ(best.size(), 1u);
  const auto points = best[0].points();
  ASSERT_EQ(points.size(), 3u);
  // The first of two equals is the best one.
  EXPECT_NEAR(points[0].second, document.text_element("0.01").number("y") - 4,
              0.02);
  EXPECT_NEAR(points[1].second, document.text_element("softor").number("y") - 4,
              0.02);
  EXPECT_NEAR(points[2].second, document.text_element("90").number("y") - 4,
              0.02);
  EXPECT_NEAR(points[1].first, document.text_element("gating").number("x"),
              0.02);
  EXPECT_TRUE(document.has_text("best of 4: accuracy 90"));
}

TEST(ParallelCoordinates, ShadesByRank) {
  const SvgDocument document = parse_svg(parallel_coordinates(search_plot()));
  EXPECT_EQ(document.with_class("og-q0").size(), 1u);  // the worst
  EXPECT_EQ(document.with_class("og-q4").size(), 1u);  // as good as the best
  EXPECT_EQ(document.with_class("og-faint").size(), 1u);
}

TEST(ParallelCoordinates, TakesTheSmallestWhenThatIsBetter) {
  ParallelPlot plot = search_plot();
  plot.higher_is_better = false;
  EXPECT_TRUE(
      parse_svg(parallel_coordinates(plot)).has_text("best of 4: accuracy 70"));
}

TEST(ParallelCoordinates, BreaksLinesAtMissingValues) {
  ParallelPlot plot;
  plot.axes.resize(5);
  plot.axes[4].categories = {"a", "b"};
  plot.lines = {{{1, 2, NAN, 4, 0}, 1}, {{1, 2, 3, -1, 0.5}, 2}};
  const SvgDocument document = parse_svg(parallel_coordinates(plot));
  const auto worse = document.with_class("og-thin");
  ASSERT_EQ(worse.size(), 2u);
  EXPECT_EQ(worse[0].points().size(), 2u);
  EXPECT_EQ(worse[1].points().size(), 3u);
  // Half a category is none: the objective alone is left behind the gap.
  EXPECT_EQ(document.with_class("og-best", "polyline").size(), 1u);
}

TEST(ParallelCoordinates, IsValidForEveryInput) {
  EXPECT_TRUE(is_valid_svg(parallel_coordinates({})));
  EXPECT_TRUE(parse_svg(parallel_coordinates({})).has_text("no data"));
  ParallelPlot plot = search_plot();
  for (const double value : {kMissing, double{INFINITY}, -1.0, 0.0, 1e300}) {
    plot.lines = {{{value, value}, value}};
    EXPECT_TRUE(is_valid_svg(parallel_coordinates(plot))) << value;
  }
  plot.lines.assign(5000, {{0.1, 1}, 3});
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    plot.lines[i].objective = static_cast<double>(i % 700);
  }
  const std::string text = parallel_coordinates(plot);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(parse_svg(text).with_class("og-many").size(), 4999u);
  plot.axes[1].categories.assign(500, "<name>");
  EXPECT_TRUE(is_valid_svg(parallel_coordinates(plot)));
}

TEST(ParallelCoordinates, RefusesLinesOfAnotherLength) {
  ParallelPlot plot = search_plot();
  plot.lines[2].values.push_back(1);
  EXPECT_TRUE(contains(error_of([&] { parallel_coordinates(plot); }),
                       "line 2 of a parallel plot has 3 values for 2 axes"));
}

}  // namespace
}  // namespace ordered_gnn::lab
