#include "status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace ordered_gnn::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(5);

}  // namespace

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void StatusLine::show(const std::string& text) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (now - last_ < kRedraw) return;
    fmt::print(stderr, "\r\033[K{}", text);
    shown_ = true;
  } else {
    if (now - last_ < kPlainLine) return;
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
  last_ = now;
}

void StatusLine::print(const std::string& text) {
  if (quiet_) return;
  clear();
  fmt::print(stderr, "{}\n", text);
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 0) return "unknown size";
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", value / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

}  // namespace ordered_gnn::cli
