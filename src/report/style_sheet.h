#pragma once
#include <string_view>

namespace ordered_gnn::detail {

/// Font sizes that the style sheet gives its text classes, in pixels.
constexpr double kTitleSize = 15;
constexpr double kLabelSize = 13;
constexpr double kTickSize = 12;
constexpr double kNoteSize = 11;

/// The content of <style>, see SvgWriter for its classes.
std::string_view style_sheet();

}  // namespace ordered_gnn::detail
