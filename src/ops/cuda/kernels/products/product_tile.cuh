#pragma once
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/tensor_core.cuh"

// Tiles of the factors in shared memory. A factor is seen as [extent, k], where
// its extent is m for a and n for b.
namespace ordered_gnn::cuda {

constexpr int kProductThreads = 256;
/// k in a tile, and k in one product of a warp.
constexpr int kTileDepth = 32;
constexpr int kStepDepth = 8;

/// A tile of kExtent x kTileDepth as it lies in memory: with kAlongK neighbours
/// in memory are neighbours in k. The pitches keep the fragments of a warp, and
/// 16-byte copies, free of bank conflicts.
template <bool kAlongK, int kExtent>
struct FactorTile {
  static constexpr int kRows = kAlongK ? kExtent : kTileDepth;
  static constexpr int kColumns = kAlongK ? kTileDepth : kExtent;
  static constexpr int kPitch = kColumns + (kAlongK ? 8 : 4);
  static constexpr int kFloats = kRows * kPitch;

  /// Element (i, k) and its neighbour (i, k + 1); k is even.
  static __device__ __forceinline__ float2 pair(const float* tile, int i,
                                                int k) {
    if constexpr (kAlongK) {
      return *reinterpret_cast<const float2*>(tile + i * kPitch + k);
    } else {
      return {tile[k * kPitch + i], tile[(k + 1) * kPitch + i]};
    }
  }
};

/// Copies tiles of a factor to shared memory, V neighbours at a time, with
/// zeros past the ends. What a thread needs for every tile is worked out once.
template <bool kAlongK, int kExtent, int V>
class TileCopy {
  using Tile = FactorTile<kAlongK, kExtent>;
  static constexpr int kPerRow = Tile::kColumns / V;
  static constexpr int kRowStep = kProductThreads / kPerRow;
  static constexpr int kCopies = Tile::kRows / kRowStep;
  static_assert(kCopies * kRowStep == Tile::kRows, "all threads take part");

 public:
  /// Tiles at `begin` of the factor's `extent`, over k_begin + [0, depth).
  __device__ __forceinline__ TileCopy(const Factor& from, int64_t begin,
                                      int64_t extent, int64_t k_begin,
                                      int depth)
      : row_(static_cast<int>(threadIdx.x) / kPerRow),
        column_(static_cast<int>(threadIdx.x) % kPerRow * V),
        depth_(depth),
        second_from_(depth),
        pitch_(from.pitch) {
    const int64_t left = extent - begin;
    left_ = static_cast<int>(left < kExtent ? left : kExtent);
    const int64_t row = (kAlongK ? begin : k_begin) + row_;
    const int64_t column = (kAlongK ? k_begin : begin) + column_;
    first_ = second_ = from.first + row * pitch_ + column;
    if (from.second == nullptr) return;
    const int64_t of_first = from.columns_of_first - column;
    second_ = from.second + row * pitch_ - of_first;
    if (kAlongK) {
      if (of_first < depth) second_from_ = static_cast<int>(of_first);
    } else if (of_first <= 0) {
      first_ = second_;
    }
  }

  /// Starts the copy of the tile at k_begin + k.
  __device__ __forceinline__ void start(int k, float* tile) const {
    const float* source = kAlongK ? (k < second_from_ ? first_ : second_) + k
                                  : first_ + k * pitch_;
    const int columns = (kAlongK ? depth_ - k : left_) - column_;
    const int rows = (kAlongK ? left_ : depth_ - k) - row_;
    const int bytes = columns <= 0 ? 0 : columns < V ? columns * 4 : V * 4;
    float* target = tile + row_ * Tile::kPitch + column_;
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      copy_async<V>(target + i * kRowStep * Tile::kPitch,
                    source + i * kRowStep * pitch_,
                    i * kRowStep < rows ? bytes : 0);
    }
  }

 private:
  int row_, column_;  // of this thread's first copy in a tile
  int left_;          // of the extent
  int depth_;
  int second_from_;  // k from which on this thread reads second_
  int64_t pitch_;
  const float* first_;
  const float* second_;
};

}  // namespace ordered_gnn::cuda
