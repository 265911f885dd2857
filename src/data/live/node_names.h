#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/row_moves.h"

namespace ordered_gnn::data {

/// The names of all rows that a graph ever had. They only grow, so that all its
/// versions share them: a row keeps its name, and a name may be of several rows
/// of which the versions have one each. Safe to read while one thread appends.
class NodeNames {
 public:
  /// @param names     of the first rows; empty: these are numbers.
  /// @param num_rows  how many there are.
  NodeNames(std::vector<std::string> names, int64_t num_rows);

  /// The names of a graph whose rows were moved, for its versions from then on.
  /// @param is_kept  rows whose names are still needed.
  std::shared_ptr<NodeNames> moved(
      const core::RowMoves& moves,
      const std::function<bool(int64_t)>& is_kept) const;

  /// Whether rows had names from the start.
  bool are_given() const { return are_given_; }
  /// Whether all names from the start are numbers: new nodes may get the next.
  bool are_numbers() const { return are_numbers_; }
  /// What numbers for new rows begin with, when there are `num_rows`.
  int64_t next_number(int64_t num_rows) const {
    return num_rows + beyond_rows_;
  }
  std::string of(int64_t row) const;

  /// Calls body(row) for every row of the name, in rising order, until it
  /// returns true.
  /// @return the row that it returned true for; -1 without.
  template <typename Body>
  int64_t find(std::string_view name, const Body& body) const {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const int64_t number = number_of(name);
    if (number >= 0 && body(number)) return number;
    const auto found = rows_.find(name);
    if (found == rows_.end()) return -1;
    for (const int64_t row : found->second) {
      if (body(row)) return row;
    }
    return -1;
  }

  /// Names rows that follow.
  void append(const std::vector<std::string>& names);
  /// Takes back the names of rows from `num_rows` on, of which no version that
  /// others see has one.
  void truncate(int64_t num_rows);

 private:
  NodeNames() = default;
  void read_numbers();
  void index(int64_t row, const std::string& name);
  // The row that is called by its number; -1: none is.
  int64_t number_of(std::string_view name) const;

  mutable std::shared_mutex mutex_;
  bool are_given_ = false, are_numbers_ = true;
  int64_t beyond_rows_ = 0;  // how much greater than a row its number is
  int64_t num_first_ = 0;    // rows with a name or a number from the start
  std::vector<std::string> first_;  // their names; empty: numbers
  std::vector<int64_t> numbers_;    // never falling; empty: those of the rows
  std::deque<std::string> more_;    // never moved, so that the keys stay
  std::unordered_map<std::string_view, std::vector<int64_t>> rows_;
};

}  // namespace ordered_gnn::data
