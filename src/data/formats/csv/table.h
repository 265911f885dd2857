#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// A comma-separated file with a header line. Lines are handed out whole: files
/// of numbers are parsed in place, others through CsvFields.
class CsvTable {
 public:
  /// Reads the header.
  /// @param expected  the header as errors show it.
  /// @throws Error when the file is missing or empty.
  CsvTable(const std::filesystem::path& file, std::string expected);

  /// @throws Error that shows both headers unless the file's is `expected`.
  void require_header() const;
  [[noreturn]] void fail_header() const;

  const std::vector<std::string>& header() const { return header_; }
  int64_t num_columns() const { return static_cast<int64_t>(header_.size()); }

  /// Moves to the next line that is not blank; false at the end.
  bool next(std::string_view& line) {
    while (reader_.next(line)) {
      if (!line.empty()) return true;
    }
    return false;
  }
  const SourceLine& place() const { return reader_.place(); }

 private:
  core::LineReader reader_;
  std::string expected_;
  std::string found_;
  std::vector<std::string> header_;
};

/// Walks over the fields of a line, taking quotes off.
class CsvFields {
 public:
  CsvFields(std::string_view line, const SourceLine& place, int64_t num_columns)
      : rest_(line), place_(place), num_columns_(num_columns) {}

  /// The next field, valid until the next call.
  /// @throws Error when there is none left, for an open quote, or for text
  ///         between a closing quote and the comma.
  std::string_view take() {
    if (done_) fail_count();
    ++taken_;
    if (!rest_.empty() && rest_.front() == '"') return take_quoted();
    const size_t stop = rest_.find(',');
    const std::string_view field = rest_.substr(0, stop);
    move_behind(stop);
    return field;
  }

  bool done() const { return done_; }
  /// @throws Error when fields are left.
  void finish() {
    if (!done_) fail_count();
  }
  /// What is behind the field taken last; empty behind the last one.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take_quoted();
  void move_behind(size_t comma) {
    done_ = comma >= rest_.size();
    rest_.remove_prefix(done_ ? rest_.size() : comma + 1);
  }
  [[noreturn]] void fail_count();

  std::string_view rest_;
  const SourceLine& place_;
  int64_t num_columns_;
  int64_t taken_ = 0;
  bool done_ = false;
  std::string unescaped_;
};

/// The line of row `row` (from 0, blank lines not counted) below the header:
/// found by reading again, since only errors ask for it.
SourceLine line_of_row(const std::filesystem::path& file, int64_t row);

}  // namespace ordered_gnn::data
