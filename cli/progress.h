#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "ordered_gnn/train/trainer.h"

namespace ordered_gnn::cli {

/// Shows training on standard error: one bar that is redrawn on a terminal, a
/// plain line every few seconds otherwise, nothing when quiet.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();

  /// Text before the bar, for example the model's name.
  void set_title(std::string title) { title_ = std::move(title); }
  void epoch(const EpochReport& report);
  void split_done(const RunResult& result, int64_t done, int64_t total);

 private:
  void clear_bar();

  bool quiet_;
  bool terminal_;
  bool bar_shown_ = false;
  std::string title_;
  std::chrono::steady_clock::time_point last_;
};

/// "0:42", "12:05", "3:07:21".
std::string duration_text(double seconds);

}  // namespace ordered_gnn::cli
