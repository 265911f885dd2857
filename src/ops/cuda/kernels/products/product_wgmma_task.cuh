#pragma once
#include "ops/cuda/kernels/products/product_wgmma_step.cuh"

// What product_wgmma_kernel() is to do, and where a thread's sums lie in c.
namespace ordered_gnn::cuda {

/// A product, or one of its ranges of k for each blockIdx.y. a is seen as
/// [rows, k] and b as [columns, k]; c is [rows, columns] or its transpose.
struct WgmmaTask {
  Factor a, b;
  int64_t rows, columns, k;
  int64_t depth;          // k in a range
  unsigned column_tiles;  // tiles of c side by side
  float* c;
  int64_t row_step, column_step;  // in c
  int64_t range_step;             // from the c of one range to the next
  const float* bias;
  bool bias_of_rows;  // otherwise of columns
  bool accumulate;
  bool pairs;  // neighbouring columns of c may be moved two at once
};

/// A tile of c for the two warpgroups of a block. Each owns 64 x 64 of it; with
/// kSlices = 2 both own the same, each for half of a tile's k, so that a small
/// c keeps a multiprocessor busy too.
template <int kSlices_>
struct WgmmaShape {
  static constexpr int kSlices = kSlices_, kStages = 4;
  static constexpr int kRows = kWgmmaRows * 2 / kSlices;
  static constexpr int kBatches = kTileDepth / kBatchDepth / kSlices;
};
using WgmmaLarge = WgmmaShape<1>;
using WgmmaSmall = WgmmaShape<2>;

/// A lane's numbers of c: 16 pairs of neighbours, pair e at row 8 (e % 2) and
/// column 8 (e / 2) from where the lane begins.
struct LaneOfC {
  const WgmmaTask& task;
  float* c;  // at row and column
  int64_t row, column;
  bool inside;  // the block's tile lies in c, and pairs of it may be moved

  __device__ __forceinline__ bool has(int pair, int second) const {
    return row + pair % 2 * 8 < task.rows &&
           column + pair / 2 * 8 + second < task.columns;
  }
  __device__ __forceinline__ float* at(int pair, int second) const {
    return c + pair % 2 * 8 * task.row_step +
           (pair / 2 * 8 + second) * task.column_step;
  }

  /// total = c + bias for a tile inside, where all of this may be loaded ahead;
  /// a tile at the edge leaves it to finish().
  __device__ __forceinline__ void start(float (&total)[32]) const {
    if (!inside) return;
    if (task.accumulate) {
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        const float2 x = *reinterpret_cast<const float2*>(at(e, 0));
        total[2 * e] = x.x;
        total[2 * e + 1] = x.y;
      }
    }
    if (task.bias == nullptr) return;
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const float x = task.bias[column + e / 2 * 8 + e % 2];
      total[e / 2 * 4 + e % 2] += x;
      total[e / 2 * 4 + e % 2 + 2] += x;
    }
  }

  /// c = total, to which a tile at the edge adds what start() left.
  __device__ __forceinline__ void finish(const float (&total)[32]) const {
    if (inside) {
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        *reinterpret_cast<float2*>(at(e, 0)) =
            float2{total[2 * e], total[2 * e + 1]};
      }
      return;
    }
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      if (!has(e / 2, e % 2)) continue;
      float* to = at(e / 2, e % 2);
      float x = task.accumulate ? *to + total[e] : total[e];
      if (task.bias != nullptr) {
        x += task.bias[task.bias_of_rows ? row + e / 2 % 2 * 8
                                         : column + e / 4 * 8 + e % 2];
      }
      *to = x;
    }
  }
};

/// What a thread has of the block's tile: warps follow each other in rows,
/// across warpgroups too.
template <typename Shape>
__device__ __forceinline__ LaneOfC lane_of_c(const WgmmaTask& task,
                                             int64_t row0, int64_t column0,
                                             uint32_t thread) {
  const int64_t row = row0 + thread / 32 * 16 % Shape::kRows + thread % 32 / 4;
  const int64_t column = column0 + thread % 4 * 2;
  return {task,
          task.c + static_cast<int64_t>(blockIdx.y) * task.range_step +
              row * task.row_step + column * task.column_step,
          row, column,
          task.pairs && row0 + Shape::kRows <= task.rows &&
              column0 + kWgmmaColumns <= task.columns};
}

}  // namespace ordered_gnn::cuda
