#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

/// Reads a text file line by line, plain or gzipped (told by its first bytes,
/// not its name), with Unix or DOS line ends. A UTF-8 byte order mark at the
/// start is dropped. Every 4 MiB of text it looks whether memory is left for
/// the next, so that a caller may keep what it reads without asking.
class LineReader {
 public:
  /// The bound on a line keeps a small gzip file that inflates to one endless
  /// line below 1 GB of memory.
  /// @throws Error when the file is missing or unreadable.
  explicit LineReader(const std::filesystem::path& path,
                      size_t max_line_bytes = size_t{1} << 28);
  ~LineReader();

  /// Moves to the next line; false at the end. `line` stays valid until the
  /// next call.
  /// @throws Error on damaged or truncated gzip data, a NUL byte, a line
  ///         longer than `max_line_bytes`, or when require_memory() refuses
  ///         more text.
  bool next(std::string_view& line);

  /// Place of the line last returned; a reference, so that asking for it once
  /// per line costs nothing. It moves on with next().
  const SourceLine& place() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `path` when it exists, else `path` + ".gz" when that exists, else `path`.
std::filesystem::path plain_or_gzipped(const std::filesystem::path& path);

/// Walks over the fields of a line, as split_fields() does, without a vector:
/// the form for files of many short lines.
class FieldCursor {
 public:
  FieldCursor(std::string_view line, char separator)
      : rest_(line), separator_(separator) {}

  /// Moves to the next field; false after the last.
  bool next(std::string_view& field) {
    if (done_) return false;
    const size_t stop = rest_.find(separator_);
    field = rest_.substr(0, stop);
    done_ = stop == std::string_view::npos;
    if (!done_) rest_.remove_prefix(stop + 1);
    return true;
  }

 private:
  std::string_view rest_;
  char separator_;
  bool done_ = false;
};

/// The fields of `line` between separators, empty ones included: one more than
/// there are separators.
std::vector<std::string_view> split_fields(std::string_view line,
                                           char separator);

/// The text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// Parses all of `field`, spaces not allowed, as a decimal integer.
/// @throws Error at `place` naming `what` and the field.
int64_t parse_integer(std::string_view field, std::string_view what,
                      const SourceLine& place);
/// Parses all of `field` as a finite decimal number.
/// @throws Error as parse_integer() does, for NaN and infinity too.
double parse_number(std::string_view field, std::string_view what,
                    const SourceLine& place);

}  // namespace ordered_gnn::core
