#include "lab/report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/affixes.h"
#include "lab/report/style_sheet.h"
#include "lab/report/svg.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

std::string replaced_all(std::string_view text, std::string_view from,
                         std::string_view to) {
  std::string out;
  size_t begin = 0;
  for (size_t at = text.find(from); at != std::string_view::npos;
       at = text.find(from, begin)) {
    out += text.substr(begin, at - begin);
    out += to;
    begin = at + from.size();
  }
  return out + std::string(text.substr(begin));
}

// Cuts the first <tag>...</tag> out of the text and returns its content.
std::string taken(std::string& text, const std::string& tag,
                  const std::string& name) {
  const std::string open = "<" + tag + ">", close = "</" + tag + ">\n";
  const size_t begin = text.find(open);
  const size_t end = text.find(close);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    fail("figure '{}' is no picture of ours: it has no {}", name, tag);
  }
  std::string content =
      text.substr(begin + open.size(), end - begin - open.size());
  text.erase(begin, end + close.size() - begin);
  return content;
}

}  // namespace

std::string json_in_html(const nlohmann::json& value) {
  return replaced_all(
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "<",
      "\\u003c");
}

std::string inline_svg(const std::string& svg, const std::string& name) {
  constexpr std::string_view kStart = "<svg xmlns=";
  if (!core::starts_with(svg, kStart)) {
    fail("figure '{}' is no picture of ours: it does not begin with <svg",
         name);
  }
  std::string out = svg;
  taken(out, "style", name);
  const std::string title = taken(out, "title", name);
  const std::string description = taken(out, "desc", name);
  // Both are escaped already.
  std::string label = title;
  if (!label.empty() && !description.empty()) label += ". ";
  label += description;
  const size_t role = out.find("role=\"img\"");
  if (role == std::string::npos) {
    fail("figure '{}' is no picture of ours: it has no role", name);
  }
  return out.insert(role, fmt::format("aria-label=\"{}\" ", label));
}

std::string plot_rules() {
  // Without the script the reader's system decides, with it the root's mark.
  const std::string dark(dark_rules());
  return std::string(light_rules()) +
         "@media screen and (prefers-color-scheme:dark){" +
         replaced_all(dark, ".og-plot ", ":root:not([data-theme]) .og-plot ") +
         "}\n@media screen{" +
         replaced_all(dark, ".og-plot ", ":root[data-theme=dark] .og-plot ") +
         "}\n";
}

}  // namespace ordered_gnn::lab
