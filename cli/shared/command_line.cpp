#include "shared/command_line.h"

namespace ordered_gnn::cli {
namespace {

std::string& stored() {
  static std::string line;
  return line;
}

std::vector<std::string>& stored_words() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

std::string shell_word(std::string_view word) {
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

void remember_command(int argc, char** argv) {
  std::string& line = stored();
  line = "ognn";
  stored_words() = std::vector<std::string>(argv, argv + argc);
  for (int i = 1; i < argc; ++i) line += " " + shell_word(argv[i]);
}

const std::string& command_line() { return stored(); }

const std::vector<std::string>& command_words() { return stored_words(); }

}  // namespace ordered_gnn::cli
