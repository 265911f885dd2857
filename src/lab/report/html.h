#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// JSON that may stand inside a script element: no "<" in it, and bytes that
/// are no UTF-8 replaced.
std::string json_in_html(const nlohmann::json& value);

/// A picture of SvgWriter for the inside of a page: without a style sheet of
/// its own, its title and description as one label, so that the page's tooltips
/// are the only ones.
/// @throws Error naming `name` when it is no such picture.
std::string inline_svg(const std::string& svg, const std::string& name);

/// A <section> with its heading and all that is in it.
/// @param browser  what stands for the node browser, where the section has it.
std::string section_html(const PageSection& section,
                         const std::string& browser);

/// Style rules of all plots, for the scheme that the page's root names.
std::string plot_rules();

}  // namespace ordered_gnn::lab
