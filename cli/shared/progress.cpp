#include "shared/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/score_text.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

std::string bar_of(const EpochReport& report, int width) {
  const int filled = static_cast<int>(width * report.epoch /
                                      std::max<int64_t>(1, report.epochs));
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') +
         "] ";
}

std::string shown(double selected, Metric metric) {
  return lab::score_text(lab::reported(selected, metric), metric);
}

// Nothing of an epoch that was not evaluated.
std::string val_of(const EpochReport& report, Metric metric) {
  const double val = select(report.val, metric);
  return std::isnan(val) ? "" : " val " + shown(val, metric);
}

std::string separator_behind(const std::string& title) {
  return title.empty() ? "" : ": ";
}

// What is said of one split, the fullest first.
std::vector<std::string> forms_of(const EpochReport& report, Metric metric,
                                  bool bar) {
  const std::string epoch =
      fmt::format("epoch {}/{}", report.epoch, report.epochs);
  const std::string val = val_of(report, metric);
  const std::string best =
      report.best_epoch > 0
          ? fmt::format(" best {} @{}", shown(report.best_score, metric),
                        report.best_epoch)
          : "";
  const std::string left = " left <=" + duration_text(report.seconds_left);
  const std::string begin = fmt::format("split {} {}", report.split, epoch);
  const std::string full =
      begin + fmt::format(" loss {:.4f}", report.loss) + val + best + left;
  const std::string without_loss = begin + val + best + left;
  if (!bar)
    return {full, without_loss, begin + val + left, begin + left, epoch + left};
  const std::string small_bar = bar_of(report, 8);
  return {bar_of(report, 20) + full,
          small_bar + full,
          small_bar + without_loss,
          without_loss,
          begin + val + left,
          begin + left,
          epoch + left};
}

std::vector<std::string> forms_of(const std::map<int64_t, EpochReport>& running,
                                  Metric metric) {
  double longest = 0;
  for (const auto& [split, report] : running) {
    longest = std::max(longest, report.seconds_left);
  }
  const std::string begin = fmt::format("{} running, left <={}", running.size(),
                                        duration_text(longest));
  std::string each, epochs;
  for (const auto& [split, report] : running) {
    const char* const separator = each.empty() ? "" : " | ";
    const std::string epoch =
        fmt::format("split {} epoch {}/{}", split, report.epoch, report.epochs);
    epochs += separator + epoch;
    each += separator + epoch + val_of(report, metric);
  }
  return {begin + ": " + each, begin + ": " + epochs, begin};
}

}  // namespace

std::string running_text(const std::string& title,
                         const std::map<int64_t, EpochReport>& running,
                         Metric metric, size_t columns, bool bar) {
  std::vector<std::string> forms =
      running.size() == 1 ? forms_of(running.begin()->second, metric, bar)
                          : forms_of(running, metric);
  for (std::string& form : forms) form = separator_behind(title) + form;
  return fitted_line(title, forms, columns);
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
  line_.show(running_text(title_, running_, metric_, line_.columns(),
                          line_.terminal()));
}

void Progress::split_done(const RunResult& result, int64_t done,
                          int64_t total) {
  forget(result.split);
  const double tested = value_of(result.test, metric_);
  const std::string test = std::isnan(tested)
                               ? "no test part,"
                               : fmt::format("test {} {}", to_string(metric_),
                                             score_text(tested, metric_));
  line_.print(fmt::format(
      "{}{}split {} done ({}/{}): {} val {} best epoch {} of {}, {:.1f} s",
      title_, separator_behind(title_), result.split, done, total, test,
      score_text(value_of(result.val, metric_), metric_), result.best_epoch,
      result.epochs, result.seconds));
}

}  // namespace ordered_gnn::cli
