#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/plots.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

DotPlot table_plot() {
  DotPlot plot;
  plot.frame.title = "Table 2";
  plot.x = {"accuracy", AxisScale::linear, 40, 100};
  plot.note_title = "difference";
  plot.rows = {{"Texas", 80, 10, 40, "+1 & more"},
               {"Cora", 100, NAN, NAN, ""},
               {"Actor", NAN, 1, 60, ""}};
  return plot;
}

TEST(DotPlot, PutsMarksWhereTheAxisSays) {
  const std::string text = drawn(dot_plot, table_plot());
  const SvgDocument document = parse_svg(text);
  const auto x_of = [&](const char* label) {
    return document.text_element(label).number("x");
  };
  const SvgElement bar = document.with_class("og-line").at(0);
  EXPECT_NEAR(bar.number("x1"), x_of("70"), 0.02);
  EXPECT_NEAR(bar.number("x2"), x_of("90"), 0.02);
  // The first of both is in the line of names.
  const auto values = document.with_class("og-s0", "circle");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_NEAR(values[1].number("cx"), x_of("80"), 0.02);
  EXPECT_NEAR(values[2].number("cx"), x_of("100"), 0.02);
  const SvgElement axis = document.with_class("og-axis").at(0);
  EXPECT_NEAR(values[2].number("cx"), axis.number("x2"), 0.02);
  const auto references = document.with_class("og-s1", "polygon");
  ASSERT_EQ(references.size(), 3u);
  EXPECT_NEAR(references[1].points()[0].first, x_of("40"), 0.02);
  EXPECT_NEAR(document.text_element("Texas").number("y"),
              values[1].number("cy") + 4, 0.02);
  EXPECT_TRUE(document.has_text("+1 &amp; more"));
  EXPECT_TRUE(document.has_text("difference"));
}

TEST(DotPlot, NamesTheReferenceOnlyWhereThereIsOne) {
  DotPlot plot = table_plot();
  EXPECT_TRUE(parse_svg(dot_plot(plot)).has_text("paper"));
  for (DotRow& row : plot.rows) row.reference = kMissing;
  EXPECT_FALSE(parse_svg(dot_plot(plot)).has_text("paper"));
}

TEST(DotPlot, IsValidForEveryInput) {
  EXPECT_TRUE(is_valid_svg(dot_plot({})));
  EXPECT_TRUE(parse_svg(dot_plot({})).has_text("no data"));
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log10}) {
    DotPlot plot;
    plot.x.scale = scale;
    for (const double value :
         {kMissing, double{INFINITY}, 0.0, -2.0, 5.0, 1e300}) {
      plot.rows.push_back({"<row>", value, value, value, "note"});
      EXPECT_TRUE(is_valid_svg(dot_plot(plot))) << value;
    }
    plot.rows.assign(2000, {"row", 3, 0, 3, ""});
    EXPECT_TRUE(is_valid_svg(dot_plot(plot)));
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
