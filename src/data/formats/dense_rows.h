#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// Rows of one width appended to one float32 tensor that grows with what was
/// really read, never with what a file announces.
class DenseRows {
 public:
  /// @param expected_rows  no more memory than for these is kept at the end;
  ///                       more rows may still be appended.
  /// @param place          named when there is no memory.
  DenseRows(int64_t width, int64_t expected_rows, std::string place)
      : width_(width), expected_(expected_rows), place_(std::move(place)) {}

  /// Memory of a new row; valid until the next call.
  float* append() {
    if (num_rows_ == capacity_) grow();
    return data_ + num_rows_++ * width_;
  }

  int64_t num_rows() const { return num_rows_; }
  int64_t width() const { return width_; }
  /// [rows, width].
  at::Tensor values() const;

 private:
  void grow();

  int64_t width_;
  int64_t expected_;
  std::string place_;
  at::Tensor values_;
  float* data_ = nullptr;
  int64_t num_rows_ = 0;
  int64_t capacity_ = 0;
};

/// Parses the comma-separated numbers of `text` into row[0 .. width). A number
/// may be in quotes.
/// @param names  [width] what the columns are called; null: by their numbers.
/// @throws Error at `place` for another count of numbers, or for one that is no
///         finite float: with its column, the value and what to do.
void parse_number_row(std::string_view text, int64_t width, float* row,
                      const SourceLine& place,
                      const std::string* names = nullptr);

}  // namespace ordered_gnn::data
