#pragma once
#include <cstddef>
#include <string>

namespace ordered_gnn::cli {

/// The two streams that a command speaks on.
enum class Stream { out, err };

/// Whether a person may be reading the stream as it is written.
bool is_terminal(Stream stream);

/// Columns of the terminal behind the stream, 0 when there is none or it does
/// not say. What is redrawn in place must know them.
size_t terminal_columns(Stream stream);

/// Columns that running text is wrapped to: `$COLUMNS`, else those of the
/// terminal, else 80; at least 40.
size_t text_columns(Stream stream);

/// Whether the stream gets colours: a terminal does, unless it is dumb or
/// `$NO_COLOR` is set and not empty; `$CLICOLOR_FORCE` other than 0 colours
/// what is no terminal, too, but `$NO_COLOR` wins.
bool wants_colours(Stream stream);

/// What a piece of text is, by which it gets its colour.
enum class Ink { heading, name, error, warning };

/// The text in its colour, or as it is when `coloured` is false.
std::string inked(Ink ink, const std::string& text, bool coloured);

}  // namespace ordered_gnn::cli
