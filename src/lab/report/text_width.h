#pragma once
#include <string>
#include <string_view>

namespace ordered_gnn::lab {

/// Columns on the screen: bytes that do not continue a UTF-8 character.
size_t num_characters(std::string_view text);

/// Pixels that the text takes in a sans-serif font of `size` pixels, rather too
/// many than too few: what draws a picture later has fonts of its own.
double text_width(std::string_view text, double size);

/// The text, with an ellipsis in place of its end where it would not fit.
std::string fitted(std::string_view text, double size, double width);

}  // namespace ordered_gnn::lab
