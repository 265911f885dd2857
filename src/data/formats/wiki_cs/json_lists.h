#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ordered_gnn::data {

/// A list of values of one kind, or a list of lists of them, under a key of a
/// JSON object.
struct JsonList {
  enum class Kind { numbers, integers, flags };

  JsonList(std::string key, Kind kind, bool is_nested)
      : key(std::move(key)), kind(kind), is_nested(is_nested) {}

  std::string key;
  Kind kind;
  bool is_nested;  ///< a list of lists
  bool is_there = false;

  std::vector<float> numbers;     ///< finite
  std::vector<int64_t> integers;  ///< of Kind::integers
  std::vector<uint8_t> flags;     ///< 0 and 1, also written true and false
  /// Of a list of lists: values up to the end of every row.
  std::vector<int64_t> row_end;

  int64_t num_values() const;
  int64_t num_rows() const { return static_cast<int64_t>(row_end.size()); }
  int64_t row_begin(int64_t row) const {
    return row == 0 ? 0 : row_end[static_cast<size_t>(row) - 1];
  }
  int64_t row_size(int64_t row) const {
    return row_end[static_cast<size_t>(row)] - row_begin(row);
  }
};

/// Fills the lists that the file has, as it is parsed: no tree of values is
/// built. Other keys are passed over, whatever they hold.
/// @param file  one JSON object, plain or gzipped, of at most `max_bytes`.
/// @throws Error naming the file, the key and the row for a value of another
///         kind, a list that is nested in another way and a key that is there
///         twice; with line and column where it is no JSON.
void read_json_lists(const std::filesystem::path& file,
                     const std::vector<JsonList*>& lists, int64_t max_bytes);

}  // namespace ordered_gnn::data
