#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::cli {

/// What a command is at, on standard error: one line, or a few, that are
/// redrawn on a terminal and cut to its width, plain lines every few seconds
/// otherwise, nothing when quiet.
class StatusLine : NonCopyable {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();

  bool terminal() const { return terminal_; }
  /// Columns that a shown line is cut to; 0: it is not.
  size_t columns() const;
  /// Whether show() would print now.
  bool due() const;
  /// Shows `text` for now; most calls in quick succession are skipped.
  void show(const std::string& text);
  /// Prints `text` to stay.
  void print(const std::string& text);

 private:
  void clear();

  const bool quiet_;
  const bool terminal_;
  int shown_lines_ = 0;
  std::chrono::steady_clock::time_point last_;
};

/// The first `columns` characters of UTF-8 text; all of it for 0.
std::string cut_to(const std::string& text, size_t columns);

/// The name of what is at work and how far it is, in one line of at most
/// `columns` characters (0: any number). `forms` say how far from the fullest
/// to the shortest: the first that leaves room for the name is taken, and a
/// long name is shortened, never what is behind it.
std::string fitted_line(const std::string& name,
                        const std::vector<std::string>& forms, size_t columns);

}  // namespace ordered_gnn::cli
