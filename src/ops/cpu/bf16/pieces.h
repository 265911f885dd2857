#pragma once
#include <algorithm>

#include "ops/cpu/gated_layer.h"
#include "ops/cpu/kernels/bf16/pack.h"

namespace ordered_gnn::cpu::bf16 {

/// Rows of a block that are computed at a time: rows in bfloat16 are widened
/// into a dozen buffers, which with more rows would not stay in the
/// second-level cache. A multiple of a tile's depth, so that sums over rows
/// come out the same however a block is cut.
constexpr int64_t kPieceRows = 2 * kernels::kTileDepth16;

/// Calls run(piece) for every piece of a block, in order.
template <typename Run>
void in_pieces(const RowBlock& block, const Run& run) {
  for (int64_t done = 0; done < block.rows; done += kPieceRows) {
    run(RowBlock{block.begin + done, std::min(block.rows - done, kPieceRows)});
  }
}

}  // namespace ordered_gnn::cpu::bf16
