#pragma once
#include "ops/cpu/kernels/bf16/pack.h"

namespace ordered_gnn::kernels {

/// c[i][j] += sum_k a[i][k] * b[k][j] of bfloat16 numbers, in float.
///
/// Sums are those of the instruction TDPBF16PS, tile by tile along the depth:
/// from zero, the products of even k and those of odd k are added in order,
/// each addition rounded once, then both sums to each other and that to c.
/// Numbers too small for a normal float count and end as zeros. On a CPU with
/// that instruction and on one without it the bits are the same; the level
/// Bf16Level::dots alone, by VDPBF16PS, adds straight to c, odd k first.
struct Bf16Product {
  int64_t rows = 0;     // of a and c
  int64_t columns = 0;  // of b and c
  int64_t depth = 0;    // columns of a, rows of b
  const Bf16* a = nullptr;
  int64_t a_row = 0;        // stride between rows of a, whose numbers are
                            // contiguous
  const Bf16* b = nullptr;  // packed, see pack.h
  float* c = nullptr;
  int64_t c_row = 0;
  // Takes the results, rounded, in place of c, which is only read then and may
  // be one row for all, c_row = 0.
  Bf16* rounded = nullptr;
  int64_t rounded_row = 0;
};

ORDERED_GNN_SIMD_DECLARE(void add_bf16_product(const Bf16Product& job);)
namespace simd_avx512_bf16 {
void add_bf16_product(const Bf16Product& job);
}
namespace simd_amx {
/// The process must have been granted tiles.
void add_bf16_product(const Bf16Product& job);
}  // namespace simd_amx

}  // namespace ordered_gnn::kernels
