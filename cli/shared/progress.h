#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ordered_gnn/train/train.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {

/// Shows training on standard error: one bar that is redrawn on a terminal, a
/// plain line every few seconds otherwise, nothing when quiet. Splits that
/// train side by side share the line.
class Progress {
 public:
  /// @param metric  that scores are shown of.
  explicit Progress(bool quiet, Metric metric = Metric::accuracy)
      : line_(quiet), metric_(metric) {}

  /// A name before the bar, for example the model's.
  void set_title(std::string title) { title_ = std::move(title); }
  void epoch(const EpochReport& report);
  /// The split no longer runs.
  void forget(int64_t split) { running_.erase(split); }
  /// Forgets the split and prints its result.
  void split_done(const RunResult& result, int64_t done, int64_t total);

 private:
  StatusLine line_;
  const Metric metric_;
  std::string title_;
  std::map<int64_t, EpochReport> running_;
};

/// The last reports of the splits that run, one in full, several in short, in
/// at most `columns` characters (0: any number). However narrow, the time left
/// is there: of several splits the longest.
/// @param title  a name before it, shortened where there is little room.
/// @param bar    whether one split gets a bar.
std::string running_text(const std::string& title,
                         const std::map<int64_t, EpochReport>& running,
                         Metric metric, size_t columns, bool bar);

/// "0:42", "12:05", "3:07:21".
std::string duration_text(double seconds);

}  // namespace ordered_gnn::cli
