#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

ORDERED_GNN_SIMD_DECLARE(
    /// Writes the words of a row whose bits are set one after the other.
    /// @param bits  a bit per column, in integers of 64; those behind the last
    ///              column are 0.
    void compact_row(const uint64_t* bits, int64_t columns, const uint32_t* row,
                     uint32_t* kept);
    /// The reverse; columns whose bits are not set become 0.
    void spread_row(const uint64_t* bits, int64_t columns, const uint32_t* kept,
                    uint32_t* row);)

}  // namespace ordered_gnn::kernels
