#include "shared/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

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

std::string running_text(const std::map<int64_t, EpochReport>& running) {
  if (running.size() == 1) return state_of(running.begin()->second);
  std::string text = fmt::format("{} running: ", running.size());
  const char* separator = "";
  for (const auto& [split, report] : running) {
    text +=
        fmt::format("{}split {} epoch {}/{} val {}", separator, split,
                    report.epoch, report.epochs, percent(report.val.accuracy));
    separator = " | ";
  }
  return text;
}

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  if (hours > 0) {
    return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  }
  return fmt::format("{}:{:02}", minutes, total % 60);
}

void Progress::epoch(const EpochReport& report) {
  running_[report.split] = report;
  if (!line_.due()) return;
  const bool bar = line_.terminal() && running_.size() == 1;
  line_.show(title_ + (bar ? bar_of(report) + " " : "") +
             running_text(running_));
}

void Progress::split_done(const RunResult& result, int64_t done,
                          int64_t total) {
  forget(result.split);
  line_.print(fmt::format(
      "{}split {} done ({}/{}): test {} val {} best epoch {} of {}, {:.1f} s",
      title_, result.split, done, total, percent(result.test.accuracy),
      percent(result.val.accuracy), result.best_epoch, result.epochs,
      result.seconds));
}

}  // namespace ordered_gnn::cli
