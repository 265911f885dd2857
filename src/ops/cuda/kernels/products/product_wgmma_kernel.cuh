#pragma once
#include "ops/cuda/kernels/products/product_wgmma_task.cuh"

// The tile product behind launch_product_wgmma(); see product_wgmma.cu.
namespace ordered_gnn::cuda {

/// Adds the second slice's sums to those of the first through shared memory,
/// which all threads have done with their tiles.
__device__ __forceinline__ void join_warpgroups(float* shared,
                                                float (&total)[32]) {
  const auto thread = static_cast<int>(threadIdx.x);
  float* mine = shared + thread % 128;
  __syncthreads();
  if (thread >= 128) {
#pragma unroll
    for (int e = 0; e < 32; ++e) mine[e * 128] = total[e];
  }
  __syncthreads();
  if (thread < 128) {
#pragma unroll
    for (int e = 0; e < 32; ++e) total[e] += mine[e * 128];
  }
}

/// Shared memory of a block: two tiles of b, one of which is filled while the
/// other is in use, and the stages of a.
template <typename Shape, bool kAlongA, int kTerms>
struct WgmmaMemory {
  using TileA = FactorTile<kAlongA, Shape::kRows>;
  static constexpr int kFloatsB = Operand<kTerms, 8>::kParts * kPartFloats;
  static constexpr int kFloats = 2 * kFloatsB + Shape::kStages * TileA::kFloats;
  static_assert(Shape::kSlices == 1 || kFloats >= 32 * 128, "joined sums fit");

  static __device__ __forceinline__ float* b(float* shared, int tile) {
    return shared + tile % 2 * kFloatsB;
  }
  static __device__ __forceinline__ float* a(float* shared, int tile) {
    return shared + 2 * kFloatsB + tile % Shape::kStages * TileA::kFloats;
  }
};

/// total += a b for the block's tile of c, over k_begin + [0, depth): tile by
/// tile, with the copies of kStages - 1 tiles of a and the loads of one tile of
/// b on their way.
template <typename Shape, bool kAlongA, bool kAlongB, int kTerms>
class WgmmaTiles {
  using Memory = WgmmaMemory<Shape, kAlongA, kTerms>;

 public:
  __device__ __forceinline__ WgmmaTiles(const WgmmaTask& task, int64_t row0,
                                        int64_t column0, int64_t k_begin,
                                        int depth, float* shared)
      : copy_a_(task.a, row0, task.rows, k_begin, depth),
        load_b_(task.b, column0, task.columns, k_begin, depth),
        depth_(depth),
        shared_(shared) {}

  __device__ __forceinline__ void begin() {
    for (int tile = 0; tile < Shape::kStages - 1; ++tile) copy(tile);
    load_b_.load(0, next_b_);
  }

  /// `slice` is this warpgroup's part of a tile's k.
  __device__ __forceinline__ void multiply(int slice, float (&total)[32]) {
    const auto thread = static_cast<int>(threadIdx.x);
    const int row = thread / 32 * 16 % Shape::kRows + thread % 32 / 4;
    float sums[32] = {};
    const uint64_t b = descriptor_of(shared_address(shared_)) +
                       in_descriptor(slice * kBatchDepth / 4 * kCoreStep);
#pragma unroll 1
    for (int tile = 0; tile * kTileDepth < depth_; ++tile) {
      load_b_.template store<kTerms>(next_b_, Memory::b(shared_, tile));
      publish_to_tensor_cores();
      wait_for_copies<Shape::kStages - 2>();
      __syncthreads();  // both tiles are there, those before them free again
      copy(tile + Shape::kStages - 1);
      load_b_.load((tile + 1) * kTileDepth, next_b_);
      __syncwarp();  // lanes part at the ends of b
#pragma unroll 1
      for (int batch = 0; batch < Shape::kBatches; ++batch) {
        const int k = (slice + batch) * kBatchDepth;
        multiply_batch<kTerms, typename Memory::TileA>(
            Memory::a(shared_, tile), row, k,
            b + in_descriptor(tile % 2 * Memory::kFloatsB +
                              batch * kBatchDepth / 4 * kCoreStep),
            sums, total);
      }
    }
  }

 private:
  __device__ __forceinline__ void copy(int tile) const {
    if (tile * kTileDepth < depth_) {
      copy_a_.start(tile * kTileDepth, Memory::a(shared_, tile));
    }
    commit_copies();  // one group a tile, even past the end: waits count groups
  }

  TileCopy<kAlongA, Shape::kRows, 4> copy_a_;
  ColumnLoad<kAlongB> load_b_;
  int depth_;
  float* shared_;
  float next_b_[8];
};

template <typename Shape, bool kAlongA, bool kAlongB, int kTerms>
__device__ __forceinline__ void multiply_block(const WgmmaTask& task,
                                               float* shared) {
  const int64_t row0 =
      static_cast<int64_t>(blockIdx.x / task.column_tiles) * Shape::kRows;
  const int64_t column0 =
      static_cast<int64_t>(blockIdx.x % task.column_tiles) * kWgmmaColumns;
  const int64_t k_begin = static_cast<int64_t>(blockIdx.y) * task.depth;
  const auto depth = static_cast<int>(
      task.k - k_begin < task.depth ? task.k - k_begin : task.depth);
  WgmmaTiles<Shape, kAlongA, kAlongB, kTerms> tiles(task, row0, column0,
                                                    k_begin, depth, shared);
  tiles.begin();

  uint32_t thread = threadIdx.x;
  const int slice = Shape::kSlices == 2 ? static_cast<int>(thread) / 128 : 0;
  float total[32] = {};
  // Before the first tile is there, so that both are waited for together.
  if (slice == 0) {
    lane_of_c<Shape>(task, row0, column0, thread).start(total);
  }
  tiles.multiply(slice, total);
  if constexpr (Shape::kSlices == 2) join_warpgroups(shared, total);
  // Its places in c are worked out anew: there are no registers to keep them.
  pin(thread);
  if (slice == 0) {
    lane_of_c<Shape>(task, row0, column0, thread).finish(total);
  }
}

template <typename Shape, bool kAlongA, bool kAlongB, int kTerms>
__global__ void __launch_bounds__(kProductThreads, 2)
    product_wgmma_kernel(const WgmmaTask task) {
  if constexpr (kHasWgmma) {
    extern __shared__ __align__(128) float wgmma_tiles[];
    multiply_block<Shape, kAlongA, kAlongB, kTerms>(task, wgmma_tiles);
  } else {
    __trap();
  }
}

}  // namespace ordered_gnn::cuda
