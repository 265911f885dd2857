#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lab/report/html.h"
#include "lab/report/svg.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kWideFigure = 700;  // pixels; from here on a row of its own
constexpr double kReadable = 0.8;    // of its size that a plot keeps

bool is_number(const std::string& text) {
  const char* const begin = text.c_str();
  char* end = nullptr;
  std::strtod(begin, &end);
  return end != begin;
}

// Numbers stand at the right, also in a first column, but where a table says
// that a column mixes them with words.
bool is_right(const ReportTable& table, size_t column,
              const std::string& text) {
  return (is_number(text) || text == "-") &&
         (column == 0 || table.align()[column] == Align::right);
}

std::string cell_html(const std::string& text, bool right) {
  return fmt::format("<td{}>{}</td>", right ? " class=\"n\"" : "",
                     xml_escaped(text));
}

std::string node_cell_html(const std::string& text, const std::string& node) {
  return fmt::format("<td><a href=\"#node={0}\" data-node=\"{0}\">{1}</a></td>",
                     xml_escaped(node), xml_escaped(text));
}

// Headings stand above numbers as numbers do.
bool is_number_column(const ReportTable& table, size_t column) {
  return !table.rows().empty() &&
         is_right(table, column, table.rows()[0][column]);
}

std::string table_html(const PageTable& page_table) {
  const ReportTable& table = page_table.table;
  const int node_column = page_table.node_column;
  std::string out = "<table><thead><tr>";
  for (size_t c = 0; c < table.header().size(); ++c) {
    const bool right =
        static_cast<int>(c) != node_column && is_number_column(table, c);
    out +=
        fmt::format("<th scope=\"col\"{}>{}</th>", right ? " class=\"n\"" : "",
                    xml_escaped(table.header()[c]));
  }
  out += "</tr></thead><tbody>\n";
  const size_t shown = std::min(table.rows().size(), kMostPageRows);
  for (size_t r = 0; r < shown; ++r) {
    out += "<tr>";
    const std::vector<std::string>& row = table.rows()[r];
    for (size_t c = 0; c < row.size(); ++c) {
      const bool is_node = static_cast<int>(c) == node_column;
      out += !is_node ? cell_html(row[c], is_right(table, c, row[c]))
                      : node_cell_html(
                            row[c], page_table.nodes.empty()
                                        ? row[c]
                                        : std::to_string(page_table.nodes[r]));
    }
    out += "</tr>\n";
  }
  out += "</tbody></table>";
  if (shown < table.rows().size()) {
    out += fmt::format("<p class=\"note\">and {} more rows</p>",
                       table.rows().size() - shown);
  }
  return out;
}

std::string scrolling(const std::string& label, const std::string& content) {
  return fmt::format(
      "<div class=\"scroll\" role=\"group\" aria-label=\"{}\">{}</div>\n",
      xml_escaped(label), content);
}

double width_of(const std::string& svg) {
  const std::string attribute = " width=\"";
  const size_t at = svg.find(attribute);
  return at == std::string::npos
             ? 0
             : std::atof(svg.c_str() + at + attribute.size());
}

std::string figure_html(const PageFigure& figure) {
  const double width = width_of(figure.svg);
  std::string out = fmt::format(
      "<figure id=\"figure-{}\"{}>\n<div class=\"plot\" "
      "style=\"--least:{:.0f}px;--most:{:.0f}px\">{}</div>\n",
      figure.name, width > kWideFigure ? " class=\"wide\"" : "",
      kReadable * width, width, inline_svg(figure.svg, figure.name));
  if (!figure.caption.empty()) {
    out += fmt::format("<figcaption>{}</figcaption>\n",
                       xml_escaped(figure.caption));
  }
  if (!figure.numbers.rows().empty()) {
    out += "<details><summary>Numbers</summary>\n" +
           scrolling("Numbers of " + figure.name,
                     table_html({"", figure.numbers})) +
           "</details>\n";
  }
  return out + "</figure>\n";
}

std::string facts_html(const std::vector<PageFact>& facts) {
  std::string out = "<dl class=\"facts\">\n";
  for (const PageFact& fact : facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}", xml_escaped(fact.name),
                       xml_escaped(fact.value));
    if (!fact.note.empty()) {
      out += fmt::format("<small>{}</small>", xml_escaped(fact.note));
    }
    out += "</dd></div>\n";
  }
  return out + "</dl>\n";
}

}  // namespace

std::string section_html(const PageSection& section,
                         const std::string& browser) {
  std::string out = fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n"
      "<h2 id=\"{0}-title\">{1}</h2>\n",
      section.id, xml_escaped(section.title));
  for (const std::string& paragraph : section.paragraphs) {
    out += fmt::format("<p>{}</p>\n", xml_escaped(paragraph));
  }
  if (!section.facts.empty()) out += facts_html(section.facts);
  if (section.has_browser) out += browser;
  if (!section.figures.empty()) {
    out += "<div class=\"figures\">\n";
    for (const PageFigure& figure : section.figures) out += figure_html(figure);
    out += "</div>\n";
  }
  for (const PageTable& table : section.tables) {
    if (!table.caption.empty()) {
      out += fmt::format("<h3>{}</h3>\n", xml_escaped(table.caption));
    }
    out += scrolling(table.caption.empty() ? section.title : table.caption,
                     table_html(table));
  }
  return out + "</section>\n";
}

}  // namespace ordered_gnn::lab
