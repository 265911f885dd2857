#include "lab/report/page.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "lab/report/html.h"
#include "lab/report/page_assets.h"
#include "lab/report/svg.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {

const char* const kPageSignature = "<!DOCTYPE html>\n<!-- ordered_gnn page";

namespace {

// Goes through the page once, so that what is filled in is not looked at again.
std::string filled(std::string_view text,
                   const std::map<std::string, std::string>& values) {
  std::string out;
  size_t begin = 0;
  for (size_t at = text.find("{{"); at != std::string_view::npos;
       at = text.find("{{", begin)) {
    const size_t end = text.find("}}", at);
    out += text.substr(begin, at - begin);
    out += values.at(std::string(text.substr(at + 2, end - at - 2)));
    begin = end + 2;
  }
  return out + std::string(text.substr(begin));
}

void check_name(const std::string& name, std::set<std::string>& names) {
  const bool plain =
      !name.empty() &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
          std::string::npos;
  if (!plain) {
    fail("'{}' cannot be a name in a page; use a-z, 0-9 and -", name);
  }
  if (!names.insert(name).second) fail("'{}' is twice in a page", name);
}

void check_names(const Page& page) {
  std::set<std::string> sections, figures;
  int browsers = 0;
  for (const PageSection& section : page.sections) {
    check_name(section.id, sections);
    for (const PageFigure& figure : section.figures) {
      check_name(figure.name, figures);
    }
    browsers += section.has_browser ? 1 : 0;
  }
  if (browsers != (page.nodes ? 1 : 0)) {
    fail(
        "a page has a node browser in one section or no nodes, not {} "
        "sections",
        browsers);
  }
}

std::string navigation(const Page& page) {
  std::string out;
  for (const PageSection& section : page.sections) {
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id,
                       xml_escaped(section.title));
  }
  return out;
}

std::string script_of(const Page& page) {
  std::string out(page_asset("page.js"));
  if (!page.nodes) return out;
  for (const char* name :
       {"node_data.js", "node_tree.js", "node_attributes.js", "node_view.js"}) {
    out += page_asset(name);
  }
  return out;
}

std::string browser_html(const Page& page,
                         const std::vector<std::string>& notes) {
  if (!page.nodes) return "";
  std::string text;
  for (const std::string& note : notes) {
    text += fmt::format("<p class=\"note\">{}</p>\n", xml_escaped(note));
  }
  return filled(
      page_asset("node_browser.html"),
      {{"hint", fmt::format("{}0 to {}",
                            page.nodes->node_names.empty() ? "" : "a name, or ",
                            page.nodes->num_nodes() - 1)},
       {"notes", text}});
}

}  // namespace

std::string html_page(const Page& page) {
  check_names(page);
  std::map<std::string, std::string> values = {
      {"signature", kPageSignature},
      {"title", xml_escaped(page.title)},
      {"subtitle", xml_escaped(page.subtitle)},
      {"made-by", xml_escaped(page.made_by)},
      {"style", std::string(page_asset("page.css")) + plot_rules()},
      {"script", script_of(page)},
      {"navigation", navigation(page)},
      {"sections", ""},
      {"nodes", ""}};
  const auto fill_sections = [&](const std::vector<std::string>& notes) {
    const std::string browser = browser_html(page, notes);
    std::string& sections = values["sections"];
    sections.clear();
    for (const PageSection& section : page.sections) {
      sections += section_html(section, browser);
    }
  };
  fill_sections({});
  const std::string_view frame = page_asset("page.html");
  if (page.nodes) {
    constexpr int64_t kNotesRoom = 2000;
    const auto used =
        static_cast<int64_t>(filled(frame, values).size()) + kNotesRoom;
    PackedNodes packed = pack_nodes(*page.nodes, page.max_bytes - used);
    fill_sections(packed.notes);
    values["nodes"] = std::move(packed.html);
  }
  return filled(frame, values);
}

}  // namespace ordered_gnn::lab
