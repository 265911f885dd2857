#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/tables/table.h"
#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::data {

/// The features that one column makes, written a block of rows at a time: all
/// columns of a block, while its rows are in the cache.
class ColumnFeatures : NonCopyable {
 public:
  /// @param column  has features; must outlive this.
  /// @param from    the column's values, which must outlive this; null: all
  ///                are missing.
  /// @param notes   gets what was never seen in training.
  /// @throws Error when the values are of another kind.
  ColumnFeatures(const Column& column, const TableColumn* from,
                 int64_t num_rows, std::vector<std::string>& notes);
  // numbers_ and codes_ may be of own_.

  /// Writes its features of rows [begin, end).
  /// @param features  row 0 of the matrix, `width` floats a row; zeros where
  ///                  this column writes.
  /// @return false when a number is too far from those of the training to be
  ///         scaled.
  bool write(int64_t begin, int64_t end, float* features, int64_t width) const;

  /// @throws Error naming the first number that write() could not scale.
  void check_range() const;

 private:
  void take_missing(int64_t num_rows);
  void take_numbers(const TableColumn& from);
  void take_words(const TableColumn& from, std::vector<std::string>& notes);
  void set_feature_of_value(const TableColumn& from,
                            std::vector<std::string>& notes);
  void note_missing(std::vector<std::string>& notes) const;
  float scaled(double x) const;
  bool write_numbers(int64_t begin, int64_t end, float* out,
                     int64_t width) const;
  void write_words(int64_t begin, int64_t end, float* out, int64_t width) const;
  // Where the feature is that marks a missing value.
  int64_t flag() const { return column_.num_features - 1; }

  const Column& column_;
  TableColumn own_;  // values that had to be made
  const std::vector<double>* numbers_ = nullptr;
  const std::vector<int32_t>* codes_ = nullptr;
  std::vector<int64_t> feature_of_value_;  // by code; -1 for none
};

}  // namespace ordered_gnn::data
