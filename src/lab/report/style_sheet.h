#pragma once
#include <string>
#include <string_view>

namespace ordered_gnn::lab {

/// Font sizes that the style sheet gives its text classes, in pixels.
constexpr double kTitleSize = 15;
constexpr double kLabelSize = 13;
constexpr double kTickSize = 12;
constexpr double kNoteSize = 11;

/// The content of <style>, see SvgWriter for its classes.
std::string style_sheet();

/// Its two halves: the light scheme, and what the dark one changes. Every
/// selector begins with ".og-plot ".
std::string_view light_rules();
std::string_view dark_rules();

}  // namespace ordered_gnn::lab
