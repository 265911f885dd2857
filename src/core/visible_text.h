#pragma once
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// What visible() does with line feeds and tabs.
enum class LineBreaks {
  kept,   ///< of running text, whose lines are meant
  shown,  ///< as \n and \t, of a name within a line
};

/// The text with everything that a terminal obeys instead of showing it made
/// readable: control characters below U+0020 as \x1b (\r, \n and \t by these
/// names), DEL, U+0080 to U+009F, line and paragraph separators and what turns
/// the direction of writing (U+202A to U+202E, U+2066 to U+206F) as \u202e,
/// bytes that are no UTF-8 as \xfc. All other text is left as it is, a
/// backslash too.
///
/// Within a JSON text only the form \u202e arises, which stands for the same
/// character there.
std::string visible(std::string_view text,
                    LineBreaks breaks = LineBreaks::shown);

}  // namespace ordered_gnn::core
