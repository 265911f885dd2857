#pragma once
#include <string>

namespace ordered_gnn::cli {

/// Remembers how the program was called, for result files.
void remember_command(int argc, char** argv);

/// The call as one line, words quoted where a shell needs it.
const std::string& command_line();

}  // namespace ordered_gnn::cli
