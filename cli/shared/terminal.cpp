#include "shared/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/names.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestColumns = 40;

int descriptor_of(Stream stream) {
  return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO;
}

// Empty where the variable is not set.
std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const char* code_of(Ink ink) {
  return core::word_of(ink, {{Ink::heading, "\033[1m"},
                             {Ink::name, "\033[36m"},
                             {Ink::error, "\033[1;31m"},
                             {Ink::warning, "\033[33m"}});
}

}  // namespace

bool is_terminal(Stream stream) { return ::isatty(descriptor_of(stream)) == 1; }

size_t terminal_columns(Stream stream) {
  struct winsize size {};
  return ::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col
                                                                : 0;
}

size_t text_columns(Stream stream) {
  const long wished =
      std::strtol(std::string(environment("COLUMNS")).c_str(), nullptr, 10);
  size_t columns = wished > 0 ? static_cast<size_t>(wished) : 0;
  if (columns == 0) columns = terminal_columns(stream);
  if (columns == 0) columns = kUsualColumns;
  return std::max(columns, kFewestColumns);
}

bool wants_colours(Stream stream) {
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return is_terminal(stream) && environment("TERM") != "dumb";
}

std::string inked(Ink ink, const std::string& text, bool coloured) {
  return coloured ? code_of(ink) + text + "\033[0m" : text;
}

}  // namespace ordered_gnn::cli
