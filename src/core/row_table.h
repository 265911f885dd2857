#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/chunked.h"
#include "core/row_moves.h"

namespace ordered_gnn::core {

/// Rows of floats whose versions share what they have in common.
class RowTable {
 public:
  using Chunk = std::vector<float>;  // kRowsPerChunk rows

  explicit RowTable(int64_t width = 0) : width_(width) {}
  /// @param rows  [N, W] float32 on the CPU.
  /// @param like  an earlier version of W columns, whose chunks are taken where
  ///              they hold the same bits; null: none.
  static RowTable of(const at::Tensor& rows, const RowTable* like = nullptr);

  int64_t width() const { return width_; }
  int64_t num_rows() const { return num_rows_; }
  const float* row(int64_t row) const {
    return chunks_[row / kRowsPerChunk].data() + (row % kRowsPerChunk) * width_;
  }

  /// [rows, W], those named.
  at::Tensor gathered(const std::vector<int64_t>& rows) const;
  /// [N, W].
  at::Tensor all() const;

  /// The table with its rows elsewhere. One without rows stays so.
  /// @param known  an earlier version; null: none.
  RowTable moved(const RowMoves& moves,
                 const MovedVersion<RowTable>* known = nullptr) const;

  /// Writes rows of a table that nobody else sees yet.
  class Editor {
   public:
    explicit Editor(RowTable& table) : table_(table), chunks_(table.chunks_) {}
    /// Appends rows of zeros.
    void grow_to(int64_t num_rows);
    float* row(int64_t row) {
      return chunks_[row / kRowsPerChunk].data() +
             (row % kRowsPerChunk) * table_.width_;
    }
    /// Lets all rows of a chunk be zeros, which take no memory of their own.
    void clear(int64_t chunk);
    /// Writes row i of `values` to rows[i] where the bits differ.
    /// @return the rows that did, and those from `first_new` on.
    std::vector<int64_t> write(const std::vector<int64_t>& rows,
                               const at::Tensor& values, int64_t first_new);

   private:
    RowTable& table_;
    ChunkEditor<Chunk> chunks_;
  };

 private:
  int64_t width_ = 0;
  int64_t num_rows_ = 0;
  Chunked<Chunk> chunks_;
  std::shared_ptr<const Chunk>
      zeros_;  // of cleared chunks; null: there is none
};

}  // namespace ordered_gnn::core
