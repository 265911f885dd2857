#include "lab/report/svg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"
#include "svg_document.h"

namespace ordered_gnn::lab {
namespace {

TEST(XmlEscaped, ReplacesWhatXmlReads) {
  EXPECT_EQ(xml_escaped("a<b & \"c\" > 'd'"),
            "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(xml_escaped("84 ± 2 €, 𝛼"), "84 ± 2 €, 𝛼");
  EXPECT_EQ(xml_escaped(""), "");
}

TEST(XmlEscaped, ReplacesBytesThatAreNoText) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(xml_escaped(std::string("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(xml_escaped("a\x1b"), "a" + mark);
  EXPECT_EQ(xml_escaped("\xff"), mark);
  EXPECT_EQ(xml_escaped("\xc3"), mark);               // cut short
  EXPECT_EQ(xml_escaped("\xc0\xaf"), mark + mark);    // overlong
  EXPECT_EQ(xml_escaped("\xef\xbf\xbf").size(), 9u);  // U+FFFF
  EXPECT_EQ(xml_escaped("a\nb\tc"), "a\nb\tc");
}

TEST(SvgNumber, IsShort) {
  EXPECT_EQ(svg_number(12.5), "12.5");
  EXPECT_EQ(svg_number(3), "3");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(1.0 / 3), "0.33");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(-2.5), "-2.5");
  EXPECT_TRUE(contains(error_of([] { svg_number(NAN); }), "nan"));
  EXPECT_TRUE(contains(error_of([] { svg_number(INFINITY); }), "inf"));
}

TEST(SvgWriter, WritesAWellFormedPicture) {
  SvgWriter svg({200, 100, "a <title>", "it's \"described\""});
  svg.begin_group("og-s0");
  svg.line({0, 0}, {10, 10}, "og-line");
  svg.polyline({{0, 0}, {1, 2}, {3, 4}}, "og-line og-s1");
  svg.polygon({{0, 0}, {1, 2}, {3, 4}}, "og-area");
  svg.rect({1, 2, 3, 4}, "og-bar", "5 < 6");
  for (int shape = -1; shape < 8; ++shape) {
    svg.mark({50, 50}, shape, "og-mark", shape == 3 ? "tip" : "");
  }
  svg.text({5, 6}, "x & y", {TextAnchor::end, "og-tick", -90});
  const std::string text = svg.finish();
  EXPECT_TRUE(is_valid_svg(text)) << text;
  const SvgDocument document = parse_svg(text);
  EXPECT_EQ(document.elements[0].attributes.at("viewBox"), "0 0 200 100");
  EXPECT_EQ(document.elements[1].text, "a &lt;title&gt;");
  EXPECT_TRUE(document.has_text("x &amp; y"));
  EXPECT_TRUE(contains(text, "<title>5 &lt; 6</title></rect>"));
  EXPECT_TRUE(contains(text, "prefers-color-scheme:dark"));
  EXPECT_TRUE(contains(text, "rotate(-90 5 6)"));
}

TEST(SvgWriter, LeavesOutLinesOfOnePoint) {
  SvgWriter svg({200, 100, "", ""});
  svg.polyline({{1, 1}}, "og-line");
  svg.polygon({}, "og-area");
  const SvgDocument document = parse_svg(svg.finish());
  EXPECT_TRUE(document.with_class("og-line").empty());
  EXPECT_TRUE(document.with_class("og-area").empty());
}

TEST(SvgWriter, RefusesWhatCannotBeDrawn) {
  EXPECT_TRUE(contains(error_of([] {
                         SvgWriter svg({0, 10, "", ""});
                       }),
                       "0 x 10"));
  EXPECT_FALSE(error_of([] { SvgWriter svg({NAN, 10, "", ""}); }).empty());
  EXPECT_TRUE(contains(error_of([] {
                         SvgWriter({9, 9, "", ""}).end_group();
                       }),
                       "no group"));
  EXPECT_FALSE(error_of([] {
                 SvgWriter({9, 9, "", ""}).line({0, 0}, {NAN, 1}, "");
               }).empty());
}

// The checker itself must see what it is there for.
TEST(SvgDocument, SeesWhatIsNotWellFormed) {
  EXPECT_FALSE(parse_svg("<svg><g></svg>").error.empty());
  EXPECT_FALSE(parse_svg("<svg><g/>").error.empty());
  EXPECT_FALSE(parse_svg("<svg x=1/>").error.empty());
  EXPECT_FALSE(parse_svg("<svg x=\"1\" x=\"2\"/>").error.empty());
  EXPECT_FALSE(parse_svg("<svg>a & b</svg>").error.empty());
  EXPECT_FALSE(parse_svg("<svg/><svg/>").error.empty());
  const std::string head = "<svg viewBox=\"0 0 1 1\"><title/><desc/>";
  EXPECT_TRUE(is_valid_svg(head + "<rect x=\"1\"/></svg>"));
  EXPECT_FALSE(is_valid_svg(head + "<rect x=\"nan\"/></svg>"));
  EXPECT_FALSE(is_valid_svg(head + "<rect width=\"-1\"/></svg>"));
  EXPECT_FALSE(is_valid_svg(head + "<polyline points=\"1,inf\"/></svg>"));
}

}  // namespace
}  // namespace ordered_gnn::lab
