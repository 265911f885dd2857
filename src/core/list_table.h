#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/chunked.h"
#include "core/row_moves.h"
#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {

/// Rows of rising columns, as neighbours or sparse features are, whose versions
/// share what they have in common. Columns have 32 bits, and may have a value
/// each.
class ListTable {
 public:
  struct Chunk {
    std::array<uint32_t, kRowsPerChunk + 1> begin{};
    std::vector<int32_t> col;
    std::vector<float> value;  // one per column; empty in a table without
  };
  struct Row {
    const int32_t* begin;
    const int32_t* end;
    const float* value;  ///< of the first column; null without values
    int64_t size() const { return end - begin; }
  };

  ListTable() = default;
  /// @param values  [E] float32 in the order of the lists; undefined: none.
  /// @throws Error for columns of 64 bits: such a graph is too large.
  static ListTable of(const Adjacency& lists, const at::Tensor& values = {});
  static ListTable of(const SparseRows& rows);

  int64_t num_rows() const { return num_rows_; }
  int64_t num_entries() const { return num_entries_; }
  Row row(int64_t row) const {
    const Chunk& chunk = chunks_[row / kRowsPerChunk];
    const auto at = static_cast<size_t>(row % kRowsPerChunk);
    const int32_t* const col = chunk.col.data();
    return {
        col + chunk.begin[at], col + chunk.begin[at + 1],
        chunk.value.empty() ? nullptr : chunk.value.data() + chunk.begin[at]};
  }
  bool has(int64_t row, int64_t column) const;

  /// All rows as lists of their own.
  Adjacency all() const;
  /// [E] float32, the values in their order.
  at::Tensor all_values() const;

  /// The table with its rows elsewhere. One without rows stays so.
  /// @param are_rows  columns are rows too, and follow.
  /// @param known     an earlier version; null: none.
  ListTable moved(const RowMoves& moves, bool are_rows,
                  const MovedVersion<ListTable>* known = nullptr) const;

  /// Changes rows of a table that nobody else sees yet.
  class Editor {
   public:
    explicit Editor(ListTable& table) : table_(table), chunks_(table.chunks_) {}
    /// Appends empty rows.
    void grow_to(int64_t num_rows);
    /// @return false when the row has the column already.
    bool insert(int64_t row, int64_t column);
    /// Of a table with values: the row gets the column where it has it not.
    /// @return false when it has it with that value already.
    bool put(int64_t row, int64_t column, float value);
    /// @return false when the row does not have it.
    bool erase(int64_t row, int64_t column);
    /// Replaces the row.
    /// @param values  one per column, or empty in a table without.
    void assign(int64_t row, const std::vector<int32_t>& columns,
                const std::vector<float>& values = {});

   private:
    void resize_row(Chunk& chunk, int64_t row, int64_t by);

    ListTable& table_;
    ChunkEditor<Chunk> chunks_;
  };

 private:
  std::shared_ptr<const Chunk> moved_chunk(const RowMoves& moves,
                                           const RowMoves::Source& source,
                                           bool are_rows) const;

  int64_t num_rows_ = 0;
  int64_t num_entries_ = 0;
  Chunked<Chunk> chunks_;
};

}  // namespace ordered_gnn::core
