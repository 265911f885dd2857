#pragma once
#include "ops/cuda/kernels/products/product_wgmma_task.cuh"

// The kernel behind launch_product_wgmma(); see product_wgmma.cu.
namespace ordered_gnn::cuda {

/// A block of kGroups warpgroups, each of which owns 64 rows of c.
template <int kGroups_, int kBlocks_, int kNumbers_>
struct WgmmaShape {
  static constexpr int kGroups = kGroups_;
  static constexpr int kBlocks = kBlocks_;    // of a multiprocessor
  static constexpr int kNumbers = kNumbers_;  // of b that a thread brings
  static constexpr int kThreads = 128 * kGroups;
  static constexpr int kRows = kWgmmaRows * kGroups;
  static constexpr int kStages = 4;                           // of a
  static constexpr int kChunkDepth = 2 * kGroups * kNumbers;  // of b
  static constexpr int kPartFloats = kWgmmaColumns * kChunkDepth;
  static_assert(kChunkDepth % kStageDepth == 0);
};

template <typename Shape, int kTerms>
struct WgmmaMemory {
  static constexpr int kChunkFloats =
      Operand<kTerms, 4>::kParts * Shape::kPartFloats;
  static constexpr int kFloats =
      2 * kChunkFloats + Shape::kThreads / 32 * Shape::kStages * kStageFloats;
};

/// c for the rows of a block, tile after tile of its columns. Chunks of b are
/// shared, one filled while the other is in use; warpgroups meet once a chunk.
template <typename Shape, typename Rows, bool kAlongB, int kTerms>
class WgmmaBlock {
  static constexpr int kChunkFloats = WgmmaMemory<Shape, kTerms>::kChunkFloats;

 public:
  __device__ __forceinline__ WgmmaBlock(const WgmmaTask& task, int64_t row,
                                        int64_t column0, int64_t k_begin,
                                        int left, int tiles, float* shared)
      : task_(task),
        rows_(task.a, row, task.rows, k_begin, left),
        columns_(task.b, column0, task.columns, k_begin, left),
        tiles_(tiles),
        to_copy_(task.depth / kStageDepth * tiles),
        chunks_(shared),
        stages_(shared + 2 * kChunkFloats +
                static_cast<int>(threadIdx.x) / 32 * Shape::kStages *
                    kStageFloats),
        b_(descriptor_of(shared_address(shared))) {
#pragma unroll 1
    for (int i = 0; i < Shape::kStages - 1; ++i) copy_next();
    columns_.load(0, 0, task.b.pitch);
  }

  __device__ __forceinline__ void begin() { take_stage(); }

  /// total += a b for the next tile of columns.
  __device__ __forceinline__ void multiply(int tile, float (&total)[32]) {
#pragma unroll 1
    for (int k = 0; k < task_.depth; k += Shape::kChunkDepth) {
      columns_.template store<kTerms>(chunks_ + side_ * kChunkFloats);
      publish_to_tensor_cores();
      __syncthreads();  // this chunk is there, the other one free again
      const bool last = k + Shape::kChunkDepth >= task_.depth;
      if (!last || tile + 1 < tiles_) {
        columns_.load((last ? tile + 1 : tile) * kWgmmaColumns,
                      last ? 0 : k + Shape::kChunkDepth, task_.b.pitch);
      }
      __syncwarp();  // lanes part at the ends of b
      uint64_t b = b_ + in_descriptor(side_ * kChunkFloats);
      side_ ^= 1;
      const int end = min(task_.depth - k, Shape::kChunkDepth);
#pragma unroll 1
      for (int stage = 0; stage < end; stage += kStageDepth) {
        multiply_stage(b, total);
        b += in_descriptor(2 * kBatchFloats);
      }
    }
  }

 private:
  /// The tensor cores, which round towards zero, add up no more than a stage;
  /// ordinary additions do the rest. While they work on a batch the next one is
  /// split.
  __device__ __forceinline__ void multiply_stage(uint64_t b,
                                                 float (&total)[32]) {
    float sums[32];
    start_batch<kTerms, Shape::kPartFloats>(first_, b, false, sums);
    LeftOperand<kTerms> second;
    second.set(rows_.load(stages_ + read_ * kStageFloats, 1));
    start_batch<kTerms, Shape::kPartFloats>(
        second, b + in_descriptor(kBatchFloats), true, sums);
    read_ = next_of(read_);
    wait_for_products<1>();
    take_stage();
    wait_for_products<0>();
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      pin(sums[e]);
      total[e] += sums[e];
    }
  }

  static __device__ __forceinline__ int next_of(int stage) {
    return stage + 1 == Shape::kStages ? 0 : stage + 1;
  }

  /// Stages follow each other across tiles.
  __device__ __forceinline__ void copy_next() {
    if (to_copy_ > 0) {
      rows_.copy(copy_k_, task_.a.pitch, stages_ + write_ * kStageFloats);
      copy_k_ += kStageDepth;
      if (copy_k_ == task_.depth) copy_k_ = 0;
      write_ = next_of(write_);
      --to_copy_;
    }
    // One group a stage, even past the end: waits count groups.
    commit_copies();
  }

  /// Splits the first batch of the next stage, past the end too.
  __device__ __forceinline__ void take_stage() {
    wait_for_copies<Shape::kStages - 2>();
    __syncwarp();  // the stage is there, the one before it free again
    first_.set(rows_.load(stages_ + read_ * kStageFloats, 0));
    copy_next();
  }

  const WgmmaTask& task_;
  Rows rows_;
  ColumnLoad<Shape, kAlongB, Rows> columns_;
  LeftOperand<kTerms> first_;
  int tiles_;
  int to_copy_;               // stages of a
  int copy_k_ = 0;            // of the next one
  int write_ = 0, read_ = 0;  // places of stages
  int side_ = 0;              // of the chunks
  float *chunks_, *stages_;
  uint64_t b_;
};

template <typename Shape, typename Rows, bool kAlongB, int kTerms>
__device__ __forceinline__ void multiply_block(const WgmmaTask& task,
                                               float* shared) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int64_t row =
      static_cast<int64_t>(blockIdx.x / task.column_groups) * Shape::kRows +
      thread / 32 * kWarpRows;
  const int64_t column0 =
      static_cast<int64_t>(blockIdx.x % task.column_groups) * task.group_tiles *
      kWgmmaColumns;
  const int64_t k_begin = static_cast<int64_t>(blockIdx.y) * task.depth;
  const auto tiles = static_cast<int>(
      min((task.columns - column0 + kWgmmaColumns - 1) / kWgmmaColumns,
          static_cast<int64_t>(task.group_tiles)));
  WgmmaBlock<Shape, Rows, kAlongB, kTerms> block(
      task, row, column0, k_begin, static_cast<int>(task.k - k_begin), tiles,
      shared);
  const auto lane_of_c = [&](int tile) {
    return LaneOfC<Rows::kRowGap>(
        task, row + Rows::first_row(thread % 32),
        column0 + tile * kWgmmaColumns + thread % 4 * 2);
  };
  float total[32];
  lane_of_c(0).start(total);
  block.begin();
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    block.multiply(tile, total);
    lane_of_c(tile).finish(total);
    if (tile + 1 < tiles) lane_of_c(tile + 1).start(total);
  }
}

template <typename Shape, typename Rows, bool kAlongB, int kTerms>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    product_wgmma_kernel(const WgmmaTask task) {
  if constexpr (kHasWgmma) {
    extern __shared__ __align__(128) float wgmma_tiles[];
    multiply_block<Shape, Rows, kAlongB, kTerms>(task, wgmma_tiles);
  } else {
    __trap();
  }
}

}  // namespace ordered_gnn::cuda
