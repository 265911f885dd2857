#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/row_exchange.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/wire.h"
#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

/// Rows that the parts of a rank need of other ranks, of which no more are on
/// their way at a time than a piece of bytes in each direction: what is sent is
/// read from memory or the disk just then, what has come may go to the disk.
/// All ranks call the same functions in the same order.
class FarRows {
 public:
  using Side = core::RowExchange::Side;
  /// Bytes of rows that are sent and that are received at a time; a row of
  /// each rank at least.
  static constexpr int64_t kPiece = int64_t{8} << 20;

  /// All must outlive it.
  /// @param bounds  first part of every rank, see rank_bounds().
  FarRows(Group& group, PagedMemory& memory, const PartsManifest& manifest,
          const std::vector<int64_t>& bounds, Wire wire,
          int64_t piece = kPiece);

  /// Ranks tell each other which rows they need; once for each side.
  /// @param needed  new ids of nodes of other ranks, rising.
  void ask(Side side, std::vector<int64_t> needed);

  /// Moves rows between ranks.
  /// @param rows  of every part of the graph: those of the rank's own, [n, D],
  ///              are read, the others set to [rows that are needed, D].
  void fetch(Side side, std::vector<at::Tensor>& rows);

  /// Ids of the rows that the rank needs, rising.
  const std::vector<int64_t>& needed(Side side) const {
    return routes(side).needed;
  }

  /// Bytes of rows that were sent.
  int64_t sent() const { return sent_; }

 private:
  struct Routes {
    std::vector<int64_t> needed, asked;              ///< ids, rank by rank
    std::vector<int64_t> needed_begin, asked_begin;  ///< per rank, and behind
  };
  // Rows of one step, rank by rank.
  struct Piece {
    std::vector<int64_t> first, rows;  ///< per rank
    std::vector<int64_t> bytes;
    std::vector<char> values;
  };
  const Routes& routes(Side side) const {
    return side == Side::in ? in_ : out_;
  }
  void make_room(const Routes& routes, int64_t dim,
                 const at::TensorOptions& options,
                 std::vector<at::Tensor>& rows) const;
  Piece piece_of(const std::vector<int64_t>& begin, int64_t step,
                 int64_t row_bytes) const;
  int64_t rows_at_a_time(int64_t row_bytes) const;
  void pack(const Routes& routes, const std::vector<at::Tensor>& rows,
            bool is_rounded, Piece& piece) const;
  void unpack(const Routes& routes, const Piece& piece, bool is_rounded,
              std::vector<at::Tensor>& rows) const;

  Group& group_;
  PagedMemory& memory_;
  const PartsManifest& manifest_;
  const std::vector<int64_t> bounds_;
  const Wire wire_;
  const int64_t piece_;
  Routes in_, out_;
  int64_t sent_ = 0;
};

}  // namespace ordered_gnn::scale
