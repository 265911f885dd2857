#pragma once
#include "ops/cuda/kernels/products/product_tile.cuh"

// What a warp does with the tiles in shared memory.
namespace ordered_gnn::cuda {

/// A tile of c for the eight warps of a block, each of which owns 32 x 32 of
/// it; with kSlices = 2 two warps share these, each for half of a tile's k, so
/// that a small c keeps a multiprocessor busy too.
template <int kRows_, int kColumns_, int kSlices_, int kStages_>
struct ProductShape {
  static constexpr int kRows = kRows_, kColumns = kColumns_;
  static constexpr int kSlices = kSlices_, kStages = kStages_;
  static constexpr int kWarpTile = 32;
  static constexpr int kWarps = kProductThreads / 32 / kSlices;
  static constexpr int kWarpColumns = kColumns / kWarpTile;
  static constexpr int kSteps = kTileDepth / kStepDepth / kSlices;
  static_assert(kRows * kColumns == kWarps * kWarpTile * kWarpTile, "");
};
using LargeShape = ProductShape<128, 64, 1, 3>;
using SmallShape = ProductShape<64, 64, 2, 4>;

/// What a lane holds of the 32 x 32 sums of its warp, as multiply_tf32() lays
/// them out: 2 x 4 tiles of 16 x 8.
using Sums = float[2][4][4];

/// Where a thread works: lane / 4 and lane % 4 of its warp, the warp's slice
/// and the corner of its part of the tile.
struct ProductThread {
  int group, member, slice, warp, row, column;

  template <typename Shape>
  static __device__ __forceinline__ ProductThread of(int thread) {
    const int lane = thread % 32, warp = thread / 32 % Shape::kWarps;
    return {lane / 4,
            lane % 4,
            thread / 32 / Shape::kWarps,
            warp,
            warp / Shape::kWarpColumns * Shape::kWarpTile,
            warp % Shape::kWarpColumns * Shape::kWarpTile};
  }
};

/// x as TF32 numbers that add up to it: one, or its rounded value and what
/// rounding took away, of which at most the last bit is lost.
template <int kTerms>
__device__ __forceinline__ void split(float x, uint32_t& high, uint32_t& low) {
  if constexpr (kTerms == 3) {
    // An infinity goes into the low part: an infinite high part times a low
    // part of zero would be NaN.
    high = round_to_finite_tf32(x);
    low = __float_as_uint(x - __uint_as_float(high));
  } else {
    high = round_to_tf32(x);
  }
}

/// The parts of a step's operands that a lane holds: a 16 x 8 tile of a, or an
/// 8 x 8 tile of b, as TF32 numbers that add up to its elements.
template <int kTerms, int kElements>
struct Operand {
  static constexpr int kParts = kTerms == 3 ? 2 : 1;
  uint32_t part[kParts][kElements];

  __device__ __forceinline__ void set(int element, float x) {
    split<kTerms>(x, part[0][element], part[kParts - 1][element]);
  }
};

/// total += a b for two tiles of a and two of b. With three terms the tensor
/// cores, which round towards zero, add up no more than these, and the small
/// ones first: what is cut off from a small sum is smaller. Ordinary additions
/// do the rest.
template <int kTerms>
__device__ __forceinline__ void multiply_operands(
    const Operand<kTerms, 4> (&a)[2], const Operand<kTerms, 2> (&b)[2],
    int first, Sums& total) {
  if constexpr (kTerms == 1) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      multiply_tf32(total[e / 2][first + e % 2], a[e / 2].part[0],
                    b[e % 2].part[0]);
    }
  } else {
    float sums[4][4] = {};
#pragma unroll
    for (int term = 0; term < 3; ++term) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        multiply_tf32(sums[e], a[e / 2].part[term == 0 ? 1 : 0],
                      b[e % 2].part[term == 1 ? 1 : 0]);
      }
    }
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      total[e / 8][first + e / 4 % 2][e % 4] += sums[e / 4][e % 4];
    }
  }
}

/// total += a b over kStepDepth of k. The order of k within a step is free as
/// long as both factors agree: members take neighbours, one load where these
/// are neighbours in memory.
template <int kTerms, typename TileA, typename TileB>
__device__ __forceinline__ void multiply_step(const float* a, const float* b,
                                              int k, const ProductThread& at,
                                              Sums& total) {
  k += 2 * at.member;
  Operand<kTerms, 4> left[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 x = TileA::pair(a, at.row + 8 * i + at.group, k);
    left[i / 2].set(i % 2, x.x);
    left[i / 2].set(i % 2 + 2, x.y);
  }
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    Operand<kTerms, 2> right[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float2 x = TileB::pair(b, at.column + 8 * (j + i) + at.group, k);
      right[i].set(0, x.x);
      right[i].set(1, x.y);
    }
    multiply_operands<kTerms>(left, right, j, total);
  }
}

}  // namespace ordered_gnn::cuda
