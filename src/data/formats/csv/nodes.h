#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text/quick_number.h"
#include "data/formats/name_index.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// `text` as a number of at least 0 when it is written the one usual way: no
/// sign, no leading zero, at most 18 digits.
std::optional<int64_t> plain_number(std::string_view text);

/// The ids of the nodes in a CSV folder: the numbers 0 .. N-1 or texts.
class NodeIds {
 public:
  /// Adds the id of the next row of the file that defines the nodes.
  void add(std::string_view id, const SourceLine& place);
  /// Decides between numbers and texts.
  /// @throws Error at the line of an id that was given before.
  void finish(const std::filesystem::path& file);

  int64_t size() const { return size_; }
  bool are_numbers() const { return are_numbers_; }
  /// Node of row `row` of the file that defines them.
  int64_t node_of_row(int64_t row) const {
    return are_numbers_ ? numbers_[row] : row;
  }
  /// -1 when there is no such node.
  int64_t find(std::string_view id) const {
    return are_numbers_ ? find_number(id) : index_.find(id);
  }
  /// @throws Error at `place` when there is no such node.
  int64_t require(std::string_view id, const SourceLine& place) const {
    const int64_t node = find(id);
    if (node < 0) fail_unknown(id, place);
    return node;
  }
  /// Of the texts; empty for numbers.
  const NameIndex& index() const { return index_; }
  [[noreturn]] void fail_unknown(std::string_view id,
                                 const SourceLine& place) const;
  /// The id of a node, for errors.
  std::string text_of(int64_t node) const;
  /// The texts in node order, empty for numbers; find() no longer works.
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  int64_t find_number(std::string_view id) const {
    const char* at = id.data();
    const char* const end = at + id.size();
    int64_t number = 0;
    const bool known =
        core::quick_integer(at, end, number) && at == end && number < size_;
    return known ? number : -1;
  }
  void become_texts();
  bool numbers_are_dense() const;
  void build_index();

  bool are_numbers_ = true;
  int64_t size_ = 0;
  std::filesystem::path file_;
  std::vector<int64_t> numbers_;    // by row, while all ids are numbers
  std::vector<std::string> names_;  // by row, from then on
  NameIndex index_;                 // of names_
};

}  // namespace ordered_gnn::data
