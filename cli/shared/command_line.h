#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::cli {

/// Remembers how the program was called, for result files.
void remember_command(int argc, char** argv);

/// A word as a shell takes it: in quotes where it needs them.
std::string shell_word(std::string_view word);

/// The call as one line, words quoted where a shell needs it.
const std::string& command_line();

/// The call word by word, the name of the program first.
const std::vector<std::string>& command_words();

}  // namespace ordered_gnn::cli
