#pragma once
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/product_step.cuh"

// How a comes to a warp: by asynchronous copies to shared memory that is the
// warp's own, so that no other has to be waited for.
namespace ordered_gnn::cuda {

/// k in a batch, of which a lane multiplies two steps, and in a stage, of which
/// some are on their way.
constexpr int kBatchDepth = 2 * kStepDepth;
constexpr int kStageDepth = 2 * kBatchDepth;
constexpr int kWarpRows = 16;
constexpr int kStageFloats = kWarpRows * kStageDepth;  // of a warp

/// A lane's part of a batch: of its two rows, number 4 j + q is row j's at
/// Rows::k_of(q, lane % 4).
struct Fragment {
  float x[8];
};

/// a as it lies in memory, k along it. The rows of lane 4 g + t are g and g + 8
/// of its warp's. Of a stage's packs of four numbers those of odd rows are
/// turned around, for a quarter of a warp reads four packs of two rows.
class RowsAlongK {
 public:
  static constexpr int kRowGap = 8;
  static __device__ __forceinline__ int first_row(int lane) { return lane / 4; }
  static __device__ __forceinline__ constexpr int k_of(int q, int t) {
    return 4 * t + q;
  }

  /// Stages of the warp whose rows begin at `row`, over k_begin + [0, depth).
  __device__ __forceinline__ RowsAlongK(const Factor& from, int64_t row,
                                        int64_t rows, int64_t k_begin,
                                        int depth) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int k = lane % 8 * 4;
    row += lane / 8;
    left_ = depth - k;
    rows_left_ = static_cast<int>(min(rows - row, int64_t{kWarpRows}));
    from_ = from.first + row * from.pitch + k_begin + k;
    to_ = lane / 8 * kStageDepth + (lane % 8 ^ lane / 8 % 2 * 4) * 4;
    at_ = lane / 4 * kStageDepth + (lane % 4 ^ lane / 4 % 2 * 4) * 4;
    second_from_ = INT32_MAX;
    if (from.second == nullptr) return;
    second_from_ = static_cast<int>(from.columns_of_first - k_begin) - k;
    to_second_ = from.second - from.columns_of_first - from.first;
  }

  /// Starts the copies of the stage at k_begin + k, with zeros past the ends.
  __device__ __forceinline__ void copy(int k, int64_t pitch,
                                       float* stage) const {
    const float* from = from_ + k + (k >= second_from_ ? to_second_ : 0);
    const int bytes = max(min(left_ - k, 4), 0) * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      copy_async<4>(stage + to_ + i * 4 * kStageDepth, from,
                    i * 4 < rows_left_ ? bytes : 0);
      from += 4 * pitch;
    }
  }

  __device__ __forceinline__ Fragment load(const float* stage,
                                           int batch) const {
    const float* from = stage + (at_ ^ batch * kBatchDepth);
    const float4 x = *reinterpret_cast<const float4*>(from);
    const float4 y = *reinterpret_cast<const float4*>(from + 8 * kStageDepth);
    return {{x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w}};
  }

 private:
  const float* from_;
  int64_t to_second_ = 0;
  int second_from_;       // k from which on this lane reads the second matrix
  int rows_left_, left_;  // from this lane's first row and k on
  int to_, at_;           // where this lane writes and reads in a stage
};

/// a is the transpose of what lies in memory, rows along it. Those of lane
/// 4 g + t are 2 g and 2 g + 1, neighbours in memory. Of a stage's packs of
/// four those of every other pair of k are turned around, for half a warp reads
/// two packs of four k.
class RowsAcrossK {
 public:
  static constexpr int kRowGap = 1;
  static __device__ __forceinline__ int first_row(int lane) {
    return lane / 4 * 2;
  }
  static __device__ __forceinline__ constexpr int k_of(int q, int t) {
    return 4 * q + t;
  }

  __device__ __forceinline__ RowsAcrossK(const Factor& from, int64_t row,
                                         int64_t rows, int64_t k_begin,
                                         int depth) {
    const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
    row += t * 4;
    left_ = depth - lane / 4;
    bytes_ = static_cast<int>(max(min(rows - row, int64_t{4}), int64_t{0})) * 4;
    const bool second = from.second != nullptr && row >= from.columns_of_first;
    from_ = (second ? from.second - from.columns_of_first : from.first) + row +
            (k_begin + lane / 4) * from.pitch;
    to_ = lane / 4 * kWarpRows + (t ^ lane / 8 % 2 * 2) * 4;
    at_ = t * kWarpRows + (lane / 8 ^ t / 2 * 2) * 4 + lane / 4 % 2 * 2;
  }

  __device__ __forceinline__ void copy(int k, int64_t pitch,
                                       float* stage) const {
    const float* from = from_ + k * pitch;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      copy_async<4>(stage + to_ + i * 8 * kWarpRows, from,
                    i * 8 + k < left_ ? bytes_ : 0);
      from += 8 * pitch;
    }
  }

  __device__ __forceinline__ Fragment load(const float* stage,
                                           int batch) const {
    const float* from = stage + at_ + batch * kBatchDepth * kWarpRows;
    Fragment part;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const float2 x =
          *reinterpret_cast<const float2*>(from + 4 * q * kWarpRows);
      part.x[q] = x.x;
      part.x[q + 4] = x.y;
    }
    return part;
  }

 private:
  const float* from_;
  int bytes_;    // of a pack
  int left_;     // of k from this lane's first one on
  int to_, at_;  // where this lane writes and reads in a stage
};

}  // namespace ordered_gnn::cuda
