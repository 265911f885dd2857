#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// A table that a user wrote: delimited text, plain or gzipped, with a header.
///
/// The delimiter (comma, semicolon, tab or bar) is the one that divides the
/// first records alike. The text is UTF-8, with or without a byte order mark;
/// what is not UTF-8 is taken as Latin-1. What was recognised and can surprise
/// is in notes().
class DelimitedText {
 public:
  /// @throws Error when the file is missing, empty, not a text (NUL bytes) or
  ///         UTF-16, or when its header repeats or lacks a name.
  explicit DelimitedText(const std::filesystem::path& file);
  /// The same of a text that was made of a file.
  DelimitedText(const std::filesystem::path& file, std::string text);

  const std::filesystem::path& file() const { return file_; }
  char delimiter() const { return delimiter_; }
  const std::vector<std::string>& header() const { return header_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The records behind the header, as UTF-8.
  std::string_view body() const {
    return std::string_view(text_).substr(body_begin_);
  }
  /// Line of the first byte of body(), from 1.
  int64_t body_line() const { return body_line_; }
  int64_t num_bytes() const { return static_cast<int64_t>(text_.size()); }

  /// Position of a column. @throws UsageError with the nearest name.
  size_t require_column(const std::string& name, const char* option) const;

 private:
  std::filesystem::path file_;
  std::string text_;
  size_t body_begin_ = 0;
  int64_t body_line_ = 1;
  char delimiter_ = ',';
  std::vector<std::string> header_;
  std::vector<std::string> notes_;
};

/// Walks over the records of delimited text (RFC 4180): a field in quotes may
/// hold delimiters, line breaks and doubled quotes. Lines end in LF or CR LF;
/// blank lines are skipped. Fields outside quotes lose blanks at their ends.
class RecordReader {
 public:
  RecordReader(std::string_view text, char delimiter,
               const std::filesystem::path& file, int64_t first_line);
  explicit RecordReader(const DelimitedText& table)
      : RecordReader(table.body(), table.delimiter(), table.file(),
                     table.body_line()) {}

  /// Moves to the next record; false at the end. Fields stay valid until the
  /// next call.
  /// @throws Error for a quote that is not closed or text behind one.
  bool next(std::vector<std::string_view>& fields);

  /// The line that the record begins in.
  int64_t record_line() const { return record_line_; }
  SourceLine place() const { return {*file_, record_line_}; }
  /// What is not yet read.
  std::string_view rest() const {
    return {at_, static_cast<size_t>(end_ - at_)};
  }
  int64_t line() const { return line_; }

 private:
  std::string_view take_quoted();
  bool at_line_end() const { return at_ == end_ || *at_ == '\n'; }
  void skip_line_end();

  const char* at_;
  const char* end_;
  char delimiter_;
  const std::filesystem::path* file_;
  int64_t line_;
  int64_t record_line_ = 0;
  // Fields with doubled quotes; a deque, so that none moves when one is added.
  std::deque<std::string> unescaped_;
  size_t num_unescaped_ = 0;
};

}  // namespace ordered_gnn::data
