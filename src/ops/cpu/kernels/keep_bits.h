#pragma once
#include <cstdint>

#include "ops/cpu/kernels/dropout_kernel.h"

namespace ordered_gnn::kernels {

ORDERED_GNN_SIMD_DECLARE(
    /// Bit i of `bits`, count of them in words of 64, tells whether element
    /// first + i is kept; bits behind the last are 0.
    void keep_bits(const DropoutMask& mask, int64_t first, int64_t count,
                   uint64_t* bits);)

}  // namespace ordered_gnn::kernels
