#pragma once
#include <string>
#include <string_view>

#include "shared/terminal.h"

namespace ordered_gnn::cli {

/// A line on standard error. What it says may come from files: a terminal shows
/// control characters in it and does not obey them, see core::visible(). A
/// stream that nobody reads any more is no reason to stop.
void say(const std::string& text);

/// The same behind "ognn:" in this ink.
void say_as_ognn(Ink ink, const std::string& text);

/// Writes to standard error as it is: what draws on a terminal.
void draw(std::string_view codes);

}  // namespace ordered_gnn::cli
