#include "shared/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

namespace ordered_gnn::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(5);

// Columns of the terminal, 0 when it does not say.
size_t terminal_columns() {
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() {
  if (shown_lines_ > 0) fmt::print(stderr, "\r\033[K");
  for (; shown_lines_ > 1; --shown_lines_) fmt::print(stderr, "\033[A\033[K");
  shown_lines_ = 0;
}

bool StatusLine::due() const {
  if (quiet_) return false;
  const auto passed = std::chrono::steady_clock::now() - last_;
  return terminal_ ? passed >= kRedraw : passed >= kPlainLine;
}

void StatusLine::show(const std::string& text) {
  if (!due()) return;
  if (terminal_) {
    clear();
    std::istringstream lines(text);
    // A line that wraps could not be redrawn.
    for (std::string line; std::getline(lines, line); ++shown_lines_) {
      fmt::print(stderr, "{}{}", shown_lines_ > 0 ? "\n" : "",
                 cut_to(line, terminal_columns()));
    }
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
  last_ = std::chrono::steady_clock::now();
}

void StatusLine::print(const std::string& text) {
  if (quiet_) return;
  clear();
  fmt::print(stderr, "{}\n", text);
}

std::string cut_to(const std::string& text, size_t columns) {
  if (columns == 0) return text;
  size_t used = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts_character =
        (static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u;
    if (starts_character && used++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace ordered_gnn::cli
