#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/told_exchange.h"

namespace ordered_gnn::scale {

/// Where rows lie in a message: one after the other, whole, or of each the
/// elements alone that dropout has kept. Both ends of a message make the same
/// one, for masks follow from nodes.
class RowLayout {
 public:
  RowLayout() = default;
  /// Whole rows.
  explicit RowLayout(int64_t dim) : dim_(dim) {}
  /// Kept elements.
  /// @param nodes  that the rows are of, by their original ids.
  RowLayout(const std::vector<int64_t>& nodes, int64_t dim,
            const core::RowKnowledge& known);

  /// The element of the message at which a row begins; that of the row behind
  /// the last is its size.
  int64_t begin(int64_t row) const {
    return begin_.empty() ? row * dim_ : begin_[row];
  }

  /// Calls move(column, element) for all columns of a row that travel, elements
  /// being counted from begin().
  template <typename Move>
  void for_row(int64_t row, const Move& move) const {
    if (begin_.empty()) {
      for (int64_t column = 0; column < dim_; ++column) move(column, column);
      return;
    }
    int64_t element = 0;
    for (int64_t word = 0; word < words_; ++word) {
      uint64_t bits = kept_[row * words_ + word];
      for (; bits != 0; bits &= bits - 1) {
        move(64 * word + __builtin_ctzll(bits), element++);
      }
    }
  }

  /// Rows [first, first + rows) of a message.
  at::Tensor of_rows(const at::Tensor& message, int64_t first,
                     int64_t rows) const;

  bool is_whole() const { return begin_.empty(); }
  int64_t dim() const { return dim_; }
  /// A bit per column of a row that is not whole.
  const uint64_t* kept(int64_t row) const {
    return kept_.data() + row * words_;
  }

 private:
  int64_t dim_ = 0;
  int64_t words_ = 0;           ///< of 64 columns, per row
  std::vector<int64_t> begin_;  ///< rows + 1; empty: rows are whole
  std::vector<uint64_t> kept_;  ///< a bit per column
};

}  // namespace ordered_gnn::scale
