#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {

/// Reads a text file line by line, plain or gzipped (told by its first bytes,
/// not its name), with Unix or DOS line ends.
class LineReader {
 public:
  /// @throws Error when the file is missing or unreadable.
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();

  /// Moves to the next line; false at the end. `line` stays valid until the
  /// next call.
  /// @throws Error on damaged or truncated gzip data, a NUL byte, or a line
  ///         longer than 1 GiB.
  bool next(std::string_view& line);

  /// Place of the line last returned.
  SourceLine place() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `path` when it exists, else `path` + ".gz" when that exists, else `path`.
std::filesystem::path plain_or_gzipped(const std::filesystem::path& path);

/// The fields of `line` between separators, empty ones included.
std::vector<std::string_view> split_fields(std::string_view line,
                                           char separator);

/// Parses all of `field` as a decimal integer.
/// @throws Error at `place` naming `what` and the field.
int64_t parse_integer(std::string_view field, std::string_view what,
                      const SourceLine& place);
/// Parses all of `field` as a finite number.
double parse_number(std::string_view field, std::string_view what,
                    const SourceLine& place);

}  // namespace ordered_gnn
