#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/row_exchange.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/wire.h"
#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

/// Which rows go between ranks, and in which pieces: no more are on their way
/// at a time than a piece of bytes in each direction. What is sent is read from
/// memory or the disk just then, what has come may go to the disk. Rows of a
/// part go by themselves, so that they can go before other parts have theirs.
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

  /// Ranks tell each other which rows they need; once for each side, by all in
  /// the same order.
  /// @param needed  new ids of nodes of other ranks, rising.
  void ask(Side side, std::vector<int64_t> needed);

  /// Rows of one part of each rank, one after the other.
  struct Piece {
    std::vector<int64_t> first, rows;  ///< per rank, among those of its routes
    std::vector<int64_t> bytes;
    std::vector<char> values;
  };
  /// What the rank's part at this place gives to all others, and what it gets
  /// of their parts at this place: the piece of this number, empty behind the
  /// last. Both ends cut alike.
  /// @param like  rows of the round, for their type and width.
  Piece piece_to_send(Side side, int64_t place, int64_t number,
                      const at::Tensor& like) const;
  Piece piece_to_receive(Side side, int64_t place, int64_t number,
                         const at::Tensor& like) const;

  /// @param own  [n, D], all rows of the part that the piece is of.
  void pack(Side side, const at::Tensor& own, Piece& piece) const;
  /// @param rows  of every part of the graph, those that are needed here.
  void unpack(Side side, const Piece& piece,
              std::vector<at::Tensor>& rows) const;
  /// How many rows of a part of another rank are needed here.
  int64_t needed_of(Side side, int64_t part) const;

  /// Ids of the rows that the rank needs, rising.
  const std::vector<int64_t>& needed(Side side) const {
    return routes(side).needed;
  }

 private:
  struct Routes {
    std::vector<int64_t> needed, asked;              ///< ids, rank by rank
    std::vector<int64_t> needed_begin, asked_begin;  ///< per rank, and behind
  };
  const Routes& routes(Side side) const {
    return side == Side::in ? in_ : out_;
  }
  bool is_rounded(const at::Tensor& rows) const;
  int64_t row_bytes(const at::Tensor& rows) const;
  void add_rows(Piece& piece, std::pair<int64_t, int64_t> range, int64_t number,
                int64_t row_bytes) const;

  Group& group_;
  PagedMemory& memory_;
  const PartsManifest& manifest_;
  const std::vector<int64_t> bounds_;
  const Wire wire_;
  const int64_t piece_;
  Routes in_, out_;
};

}  // namespace ordered_gnn::scale
