#pragma once
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ordered_gnn::data {

/// The names of all rows that a graph ever had. They only grow, so that all its
/// versions share them: a row keeps its name, and a name may be of several rows
/// of which the versions have one each. Safe to read while one thread appends.
class NodeNames {
 public:
  /// @param names     of the first rows; empty: these are numbers.
  /// @param num_rows  how many there are.
  NodeNames(std::vector<std::string> names, int64_t num_rows);

  int64_t size() const;
  /// Whether rows had names from the start.
  bool are_given() const { return !first_.empty(); }
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
  // The row that is called by its number; -1: none is.
  int64_t number_of(std::string_view name) const;

  mutable std::shared_mutex mutex_;
  const std::vector<std::string> first_;
  const int64_t num_first_;
  std::deque<std::string> more_;  // never moved, so that the keys stay
  std::unordered_map<std::string_view, std::vector<int64_t>> rows_;
};

}  // namespace ordered_gnn::data
