#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// Running text as lines of at most `columns` characters, broken at blanks. A
/// word that is longer is broken behind a `|`, and stays whole without one.
std::vector<std::string> wrapped(const std::string& text, size_t columns);

/// A command of an example as lines of at most `columns` characters that a
/// shell takes as one: broken at blanks that are not in quotes, behind a
/// backslash, an option kept with its value. What stands three blanks or more
/// behind the command is a note on it, and gets lines of its own where it does
/// not fit.
std::vector<std::string> wrapped_command(const std::string& line,
                                         size_t columns);

}  // namespace ordered_gnn::cli
