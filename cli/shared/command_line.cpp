#include "shared/command_line.h"

#include <string_view>

namespace ordered_gnn::cli {
namespace {

std::string& stored() {
  static std::string line;
  return line;
}

std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "-_=+,./:@%";
  const bool plain =
      !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

void remember_command(int argc, char** argv) {
  std::string& line = stored();
  line = "ognn";
  for (int i = 1; i < argc; ++i) line += " " + quoted(argv[i]);
}

const std::string& command_line() { return stored(); }

}  // namespace ordered_gnn::cli
