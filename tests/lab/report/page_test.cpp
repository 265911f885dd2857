#include "lab/report/page.h"

#include <gtest/gtest.h>

#include "core/affixes.h"
#include "lab/report/plots.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

PageFigure small_figure(const std::string& name) {
  LinePlot plot;
  plot.frame.title = "a <title>";
  plot.series.resize(1);
  plot.series[0].x = {1, 2};
  plot.series[0].y = {3, 4};
  ReportTable numbers({"x", "y"});
  numbers.add({"1", "3"});
  return {name, line_plot(plot), "what to see & why", numbers};
}

Page small_page() {
  Page page;
  page.title = "model on <graph>";
  page.made_by = "ognn 1";
  PageSection section;
  section.id = "summary";
  section.title = "Summary";
  section.paragraphs = {"A sentence with \"quotes\"."};
  section.facts = {{"accuracy", "87 %", "of 12 nodes"}};
  section.figures = {small_figure("curve")};
  ReportTable table({"node", "class"});
  table.add({"7", "</script>"});
  section.tables = {{"Nodes", table, 0}};
  page.sections = {section};
  return page;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST(HtmlPage, HoldsEverythingOnceAndEscaped) {
  const std::string html = html_page(small_page());
  EXPECT_TRUE(core::starts_with(html, kPageSignature));
  for (const char* part :
       {"<h1>model on &lt;graph&gt;</h1>", "id=\"figure-curve\"",
        "what to see &amp; why", "<dt>accuracy</dt><dd>87 %<small>of 12 nodes",
        "A sentence with &quot;quotes&quot;.", "<td>&lt;/script&gt;</td>",
        "href=\"#node=7\"", "Written by ognn 1."}) {
    EXPECT_EQ(count_of(html, part), 1u) << part;
  }
  EXPECT_EQ(count_of(html, "<a href=\"#summary\">Summary</a>"), 1u);
  EXPECT_EQ(html, html_page(small_page()));
}

TEST(HtmlPage, NeedsNothingFromOutside) {
  const std::string html = html_page(small_page());
  EXPECT_EQ(count_of(html, " src="), 0u);
  EXPECT_EQ(count_of(html, "url("), 0u);
  EXPECT_EQ(count_of(html, "@import"), 0u);
  // The name space of SVG is no address that is asked for.
  EXPECT_EQ(count_of(html, "http://") + count_of(html, "https://"),
            count_of(html, "http://www.w3.org/2000/svg"));
  EXPECT_TRUE(contains(html, "default-src 'none'"));
}

TEST(HtmlPage, PlotsHaveALabelAndTheStyleOfThePage) {
  const std::string html = html_page(small_page());
  EXPECT_TRUE(contains(html, "aria-label=\"a &lt;title&gt;. Line plot of"));
  EXPECT_TRUE(contains(html, "role=\"img\""));
  EXPECT_EQ(count_of(html, "<style>"), 1u);
  EXPECT_TRUE(contains(html, ":root[data-theme=dark] .og-plot .og-s0{"));
  EXPECT_TRUE(contains(html, ":root:not([data-theme]) .og-plot .og-s0{"));
  EXPECT_EQ(count_of(html, "{{"), 0u);
}

TEST(HtmlPage, SaysHowManyRowsItLeavesOut) {
  Page page = small_page();
  ReportTable long_table({"row"});
  for (size_t i = 0; i < kMostPageRows + 3; ++i) {
    long_table.add({std::to_string(i)});
  }
  page.sections[0].tables = {{"", long_table, -1}};
  const std::string html = html_page(page);
  EXPECT_TRUE(contains(html, "and 3 more rows"));
  EXPECT_EQ(count_of(html, "<td class=\"n\">500</td>"), 0u);
}

TEST(HtmlPage, HasTheNodeScriptsOnlyWithNodes) {
  Page page = small_page();
  EXPECT_EQ(count_of(html_page(page), "nodeData"), 0u);
  page.nodes = NodeBrowser{};
  page.nodes->class_names = {"a"};
  page.nodes->label = {0};
  page.nodes->predicted = {0};
  page.sections[0].has_browser = true;
  const std::string html = html_page(page);
  EXPECT_TRUE(contains(html, "id=\"node-search\""));
  EXPECT_TRUE(contains(html, "id=\"nodes-about\""));
  EXPECT_TRUE(contains(html, "placeholder=\"0 to 0\""));
}

TEST(HtmlPage, RefusesWhatCannotBeAPage) {
  const auto error = [](const Page& page) {
    return error_of([&] { html_page(page); });
  };
  Page page = small_page();
  page.sections[0].id = "My section";
  EXPECT_TRUE(contains(error(page), "'My section' cannot be a name"));
  page = small_page();
  page.sections.push_back(page.sections[0]);
  EXPECT_TRUE(contains(error(page), "'summary' is twice"));
  page = small_page();
  page.sections[0].figures.push_back(small_figure("curve"));
  EXPECT_TRUE(contains(error(page), "'curve' is twice"));
  page = small_page();
  page.sections[0].figures[0].svg = "<b>no</b>";
  EXPECT_TRUE(contains(error(page), "figure 'curve' is no picture of ours"));
  page = small_page();
  page.sections[0].has_browser = true;
  EXPECT_TRUE(contains(error(page), "not 1 sections"));
}

}  // namespace
}  // namespace ordered_gnn::lab
