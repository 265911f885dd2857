#pragma once
#include "ops/cuda/kernels/products/product_step.cuh"

// The tile product behind launch_product(); see product.cu.
namespace ordered_gnn::cuda {

/// A product, or one of its ranges of k for each blockIdx.y.
struct ProductTask {
  Factor a, b;
  float* c;
  int64_t c_pitch;
  int64_t c_step;  // from the c of one range to that of the next
  const float* bias;
  bool accumulate;
  bool pairs;  // two neighbours of c may be moved at once
  int64_t m, n, k;
  int64_t depth;          // k in a range
  unsigned column_tiles;  // tiles of c side by side
};

/// Where a lane's sums lie in c: 16 pairs of neighbours, pair e at row + 8 (e /
/// 4) and column + 8 (e % 4).
struct Corner {
  int64_t row, column;
  bool inside;  // the block's tile lies in c, and pairs of it may be moved

  /// Whether the first or second number of a pair is one of c.
  __device__ __forceinline__ bool has(const ProductTask& task, int pair,
                                      int second) const {
    return row + pair / 4 * 8 < task.m &&
           column + pair % 4 * 8 + second < task.n;
  }
};

__device__ __forceinline__ float* pair_of(Sums& total, int pair) {
  return &total[pair / 8][pair % 4][pair / 4 % 2 * 2];
}

/// total += bias over rows.
__device__ __forceinline__ void add_bias(const ProductTask& task,
                                         const Corner& at, Sums& total) {
  float bias[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int64_t column = at.column + j / 2 * 8 + j % 2;
    bias[j] = column < task.n ? task.bias[column] : 0.0f;
  }
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    total[e / 16][e / 4 % 4][e % 4] += bias[e / 4 % 4 * 2 + e % 2];
  }
}

/// total += c. Inside, all loads are on their way before the first is used.
__device__ __forceinline__ void add_c(const ProductTask& task, const float* c,
                                      const Corner& at, Sums& total) {
  c += at.row * task.c_pitch + at.column;
  if (at.inside) {
    float2 y[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      y[e] = *reinterpret_cast<const float2*>(c + e / 4 * 8 * task.c_pitch +
                                              e % 4 * 8);
    }
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      float* x = pair_of(total, e);
      x[0] += y[e].x;
      x[1] += y[e].y;
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    const float* from = c + e / 4 * 8 * task.c_pitch + e % 4 * 8;
    float* x = pair_of(total, e);
    if (at.has(task, e, 0)) x[0] += from[0];
    if (at.has(task, e, 1)) x[1] += from[1];
  }
}

/// c = total.
__device__ __forceinline__ void store_c(const ProductTask& task, float* c,
                                        const Corner& at, Sums& total) {
  c += at.row * task.c_pitch + at.column;
  if (at.inside) {
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const float* x = pair_of(total, e);
      *reinterpret_cast<float2*>(c + e / 4 * 8 * task.c_pitch + e % 4 * 8) =
          float2{x[0], x[1]};
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    float* to = c + e / 4 * 8 * task.c_pitch + e % 4 * 8;
    const float* x = pair_of(total, e);
    if (at.has(task, e, 0)) to[0] = x[0];
    if (at.has(task, e, 1)) to[1] = x[1];
  }
}

/// Adds the second slice's sums to those of the first through shared memory,
/// which all threads have done with their tiles.
__device__ __forceinline__ void join_slices(const ProductThread& at,
                                            float* shared, Sums& total) {
  __syncthreads();
  float* mine = shared + at.warp * (32 * 32) + at.group * 4 + at.member;
  if (at.slice == 1) {
#pragma unroll
    for (int e = 0; e < 32; ++e) mine[e * 32] = total[e / 16][e / 4 % 4][e % 4];
  }
  __syncthreads();
  if (at.slice == 0) {
#pragma unroll
    for (int e = 0; e < 32; ++e)
      total[e / 16][e / 4 % 4][e % 4] += mine[e * 32];
  }
}

/// Tile by tile, with the copies of kStages - 1 tiles on their way.
template <typename Shape, bool kAlongA, bool kAlongB, int kTerms, int V>
__global__ void __launch_bounds__(kProductThreads, 2)
    product_kernel(const ProductTask task) {
  using TileA = FactorTile<kAlongA, Shape::kRows>;
  using TileB = FactorTile<kAlongB, Shape::kColumns>;
  constexpr int kStageFloats = TileA::kFloats + TileB::kFloats;
  extern __shared__ __align__(16) float shared[];
  const int64_t row0 =
      static_cast<int64_t>(blockIdx.x / task.column_tiles) * Shape::kRows;
  const int64_t column0 =
      static_cast<int64_t>(blockIdx.x % task.column_tiles) * Shape::kColumns;
  const int64_t k_begin = static_cast<int64_t>(blockIdx.y) * task.depth;
  const auto depth = static_cast<int>(
      task.k - k_begin < task.depth ? task.k - k_begin : task.depth);
  const TileCopy<kAlongA, Shape::kRows, V> copy_a(task.a, row0, task.m, k_begin,
                                                  depth);
  const TileCopy<kAlongB, Shape::kColumns, V> copy_b(task.b, column0, task.n,
                                                     k_begin, depth);
  const auto stage_of = [&](int tile) {
    return shared + tile % Shape::kStages * kStageFloats;
  };
  const auto copy = [&](int tile) {
    if (tile * kTileDepth < depth) {
      copy_a.start(tile * kTileDepth, stage_of(tile));
      copy_b.start(tile * kTileDepth, stage_of(tile) + TileA::kFloats);
    }
    commit_copies();  // one group a tile, even past the end: waits count groups
  };
  for (int tile = 0; tile < Shape::kStages - 1; ++tile) copy(tile);

  const auto at = ProductThread::of<Shape>(static_cast<int>(threadIdx.x));
  const Corner corner{row0 + at.row + at.group,
                      column0 + at.column + 2 * at.member,
                      task.pairs && row0 + Shape::kRows <= task.m &&
                          column0 + Shape::kColumns <= task.n};
  float* c = task.c + static_cast<int64_t>(blockIdx.y) * task.c_step;
  Sums total = {};
  // Before the first tile is there, so that both are waited for together.
  if (at.slice == 0 && task.bias != nullptr) add_bias(task, corner, total);
  if (at.slice == 0 && task.accumulate) add_c(task, c, corner, total);
  // Steps of three terms fill the registers; unrolled they would spill.
  constexpr int kUnrolled = kTerms == 3 ? 1 : Shape::kSteps;
  for (int tile = 0; tile * kTileDepth < depth; ++tile) {
    wait_for_copies<Shape::kStages - 2>();
    __syncthreads();  // the tile is there, the stage before it free again
    copy(tile + Shape::kStages - 1);
#pragma unroll kUnrolled
    for (int step = 0; step < Shape::kSteps; ++step) {
      multiply_step<kTerms, TileA, TileB>(
          stage_of(tile), stage_of(tile) + TileA::kFloats,
          (at.slice * Shape::kSteps + step) * kStepDepth, at, total);
    }
  }
  if constexpr (Shape::kSlices == 2) join_slices(at, shared, total);
  if (at.slice == 0) store_c(task, c, corner, total);
}

}  // namespace ordered_gnn::cuda
