#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/chunked.h"

namespace ordered_gnn::core {

/// Where the rows of a table in chunks go when rows that nobody uses are
/// dropped. Rows keep their order; most chunks stay as they are and are shared
/// by the tables before and after.
struct RowMoves {
  /// What becomes a chunk: one as it is, or some rows of several.
  struct Source {
    int64_t whole = -1;         ///< -1: `rows`
    std::vector<int64_t> rows;  ///< at most kRowsPerChunk of them
  };
  static constexpr int64_t kDropped = -1;

  std::vector<Source> chunks;      ///< of the table afterwards
  std::vector<int64_t> row_after;  ///< of every row before, or kDropped
  int64_t num_rows = 0;            ///< afterwards

  /// The same for a table that has had rows appended since.
  RowMoves extended(int64_t num_rows_before) const;
};

/// A table before and after its rows were moved: later versions of it that are
/// moved alike take its chunks where theirs were the same.
template <typename Table>
struct MovedVersion {
  const Table& before;
  const Table& after;
};

/// Whether a later version of a table has the same chunks there.
template <typename Chunk>
bool is_unchanged(const RowMoves::Source& source, const Chunked<Chunk>& earlier,
                  const Chunked<Chunk>& later) {
  const auto is_same = [&](int64_t chunk) {
    return chunk < earlier.size() &&
           earlier.shared(chunk) == later.shared(chunk);
  };
  if (source.whole >= 0) return is_same(source.whole);
  for (const int64_t r : source.rows) {
    if (!is_same(r / kRowsPerChunk)) return false;
  }
  return true;
}

/// Chunks without a used row are dropped, and runs of chunks with a chunk's
/// worth of unused rows are joined. The last chunk stays: it is appended to.
/// What is copied at a time is a small part of the table, so that memory never
/// doubles; what is left over is found by the next call.
/// @return nothing when too little would be won.
std::optional<RowMoves> plan_row_moves(
    int64_t num_rows, const std::function<bool(int64_t)>& is_used);

}  // namespace ordered_gnn::core
