#pragma once
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/product_wgmma_step.cuh"

// What product_wgmma_kernel() is to do, and where a thread's sums lie in c.
namespace ordered_gnn::cuda {

/// A product, or one of its ranges of k for each blockIdx.y. a is seen as
/// [rows, k], b as [columns, k] and c as [rows, columns].
struct WgmmaTask {
  Factor a, b;
  int64_t rows, columns, k;
  int depth;               // k in a range, whole stages
  unsigned column_groups;  // blocks side by side
  int group_tiles;         // tiles of c in a group, one after the other
  float* c;
  int64_t pitch, range_step;  // in c, from row to row and from range to range
  const float* bias;          // [columns] or null
  bool accumulate;
  bool pairs;  // columns come in pairs that may be moved at once
};

/// A lane's numbers of a 64 x 64 tile of c. Number 4 i + 2 j + l is that of row
/// row + j kRowGap and column column + 8 i + l.
template <int kRowGap>
class LaneOfC {
 public:
  __device__ __forceinline__ LaneOfC(const WgmmaTask& task, int64_t row,
                                     int64_t column)
      : task_(task),
        column_(column),
        columns_left_(static_cast<int>(
            min(task.columns - column, int64_t{kWgmmaColumns}))),
        rows_left_(static_cast<int>(min(task.rows - row, int64_t{kWarpRows}))) {
    c_[0] = task.c + static_cast<int64_t>(blockIdx.y) * task.range_step +
            row * task.pitch + column;
    c_[1] = c_[0] + kRowGap * task.pitch;
  }

  /// total = what c and the bias add. All loads are on their way before the
  /// first is used.
  __device__ __forceinline__ void start(float (&total)[32]) const {
    if (task_.accumulate) {
      load_c(total);
    } else {
#pragma unroll
      for (float& x : total) x = 0.0f;
    }
    if (task_.bias == nullptr) return;
    const float* bias = task_.bias + column_;
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const int column = e / 2 * 8 + e % 2;
      const float x = column < columns_left_ ? bias[column] : 0.0f;
      total[e / 2 * 4 + e % 2] += x;
      total[e / 2 * 4 + e % 2 + 2] += x;
    }
  }

  /// c = total.
  __device__ __forceinline__ void finish(const float (&total)[32]) const {
    if (task_.pairs) {
#pragma unroll
      for (int p = 0; p < 16; ++p) {
        if (has(2 * p)) {
          *reinterpret_cast<float2*>(c_[p % 2] + p / 2 * 8) =
              float2{total[2 * p], total[2 * p + 1]};
        }
      }
      return;
    }
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      if (has(e)) c_[e / 2 % 2][column_of(e)] = total[e];
    }
  }

 private:
  static __device__ __forceinline__ constexpr int column_of(int e) {
    return e / 4 * 8 + e % 2;
  }
  __device__ __forceinline__ bool has(int e) const {
    return e / 2 % 2 * kRowGap < rows_left_ && column_of(e) < columns_left_;
  }

  __device__ __forceinline__ void load_c(float (&total)[32]) const {
    if (task_.pairs) {
#pragma unroll
      for (int p = 0; p < 16; ++p) {
        float2 x = {};
        if (has(2 * p)) {
          x = *reinterpret_cast<const float2*>(c_[p % 2] + p / 2 * 8);
        }
        total[2 * p] = x.x, total[2 * p + 1] = x.y;
      }
      return;
    }
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      total[e] = has(e) ? c_[e / 2 % 2][column_of(e)] : 0.0f;
    }
  }

  const WgmmaTask& task_;
  float* c_[2];
  int64_t column_;
  int columns_left_, rows_left_;  // from this lane's first ones on
};

}  // namespace ordered_gnn::cuda
