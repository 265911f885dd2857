#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "table.h"

namespace ordered_gnn::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(5);
constexpr int kBarWidth = 20;

std::string bar_of(const EpochReport& report) {
  const int filled = static_cast<int>(kBarWidth * report.epoch /
                                      std::max<int64_t>(1, report.epochs));
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') +
         "]";
}

std::string state_of(const EpochReport& report) {
  return fmt::format(
      "split {} epoch {}/{} loss {:.4f} val {} best {} @{} left <={}",
      report.split, report.epoch, report.epochs, report.loss,
      percent(report.val.accuracy), percent(report.best_score),
      report.best_epoch, duration_text(report.seconds_left));
}

}  // namespace

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::max(0.0, seconds) + 0.5);
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  if (hours > 0) {
    return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  }
  return fmt::format("{}:{:02}", minutes, total % 60);
}

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear_bar(); }

void Progress::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r\033[K");
  bar_shown_ = false;
}

void Progress::epoch(const EpochReport& report) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (now - last_ < kRedraw) return;
    fmt::print(stderr, "\r\033[K{}{} {}", title_, bar_of(report),
               state_of(report));
    bar_shown_ = true;
  } else {
    if (now - last_ < kPlainLine) return;
    fmt::print(stderr, "{}{}\n", title_, state_of(report));
  }
  std::fflush(stderr);
  last_ = now;
}

void Progress::split_done(const RunResult& result, int64_t done,
                          int64_t total) {
  if (quiet_) return;
  clear_bar();
  fmt::print(stderr,
             "{}split {} done ({}/{}): test {} val {} best epoch {} of {}, "
             "{:.1f} s\n",
             title_, result.split, done, total, percent(result.test.accuracy),
             percent(result.val.accuracy), result.best_epoch, result.epochs,
             result.seconds);
}

}  // namespace ordered_gnn::cli
