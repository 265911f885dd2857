#pragma once
#include "ops/cuda/kernels/products/product_step.cuh"
#include "ops/cuda/kernels/products/wgmma.cuh"

// What a warpgroup does with tiles: a goes through registers, b lies in shared
// memory as the tensor cores read it, split into TF32 numbers.
namespace ordered_gnn::cuda {

constexpr int kWgmmaRows = 64, kWgmmaColumns = 64;
/// Steps of kStepDepth whose products run at a time.
constexpr int kBatchSteps = 2;
constexpr int kBatchDepth = kBatchSteps * kStepDepth;

/// A tile of b, kWgmmaColumns x kTileDepth, consists of core matrices of 8
/// columns by 4 numbers along k, 128 bytes each: neighbours in columns follow
/// each other, then neighbours in k. High parts come first, low parts behind.
constexpr int kCoreFloats = 32;
constexpr int kCoreStep = kWgmmaColumns / 8 * kCoreFloats;  // along k
constexpr int kPartFloats = kWgmmaColumns * kTileDepth;

/// Of an offset in floats, what it adds to a descriptor.
__device__ __forceinline__ constexpr uint64_t in_descriptor(int floats) {
  return static_cast<uint64_t>(floats) * sizeof(float) / 16;
}

/// Descriptor of a step's 8 x 64 tile at `address`: k along memory, no swizzle,
/// and in units of 16 bytes the address, the distance of core matrices along k
/// (bits 16 to 29) and along columns (bits 32 to 45).
__device__ __forceinline__ uint64_t descriptor_of(uint32_t address) {
  return (address & 0x3ffff) / 16 | in_descriptor(kCoreStep) << 16 |
         in_descriptor(kCoreFloats) << 32;
}

/// Brings tiles of b to shared memory, a column and 8 of k for each thread;
/// with kAlongK neighbours in memory are neighbours in k. Lanes are laid out
/// such that loads use whole sectors and stores of 8 lanes meet different
/// banks.
template <bool kAlongK>
class ColumnLoad {
 public:
  /// Tiles at `begin` of the factor's `extent`, over k_begin + [0, depth).
  __device__ __forceinline__ ColumnLoad(const Factor& from, int64_t begin,
                                        int64_t extent, int64_t k_begin,
                                        int depth)
      : pitch_(from.pitch) {
    const auto thread = static_cast<int>(threadIdx.x);
    const int column = kAlongK ? thread / 32 * 8 + thread % 8 : thread % 64;
    const int k = kAlongK ? thread % 32 / 8 * 8 : thread / 64 * 8;
    place_ = k / 4 * kCoreStep + column / 8 * kCoreFloats + column % 8 * 4;
    left_ = begin + column < extent ? depth - k : 0;
    from_ = from.first + (kAlongK ? (begin + column) * pitch_ + k_begin + k
                                  : (k_begin + k) * pitch_ + begin + column);
  }

  /// This thread's part of the tile at k_begin + k, zeros past the ends.
  __device__ __forceinline__ void load(int k, float (&x)[8]) const {
    const int left = left_ - k;
    const float* from = from_ + (kAlongK ? k : k * pitch_);
    if (kAlongK && left >= 8) {
      const auto* pack = reinterpret_cast<const float4*>(from);
      const float4 y = pack[0], z = pack[1];
      x[0] = y.x, x[1] = y.y, x[2] = y.z, x[3] = y.w;
      x[4] = z.x, x[5] = z.y, x[6] = z.z, x[7] = z.w;
      return;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      x[j] = j < left ? from[kAlongK ? j : j * pitch_] : 0.0f;
    }
  }

  /// Splits it into the tile. Even numbers of k come first, as multiply_batch()
  /// reads a.
  template <int kTerms>
  __device__ __forceinline__ void store(const float (&x)[8],
                                        float* tile) const {
    Operand<kTerms, 8> y;
#pragma unroll
    for (int j = 0; j < 8; ++j) y.set(j, x[j]);
#pragma unroll
    for (int i = 0; i < y.kParts; ++i) {
      const uint32_t* part = y.part[i];
      float* to = tile + i * kPartFloats + place_;
      store_shared(to, part[0], part[2], part[4], part[6]);
      store_shared(to + kCoreStep, part[1], part[3], part[5], part[7]);
    }
  }

 private:
  int64_t pitch_;
  const float* from_;
  int left_;   // of k from this thread's first one on
  int place_;  // in a part of a tile
};

/// total += a b over kBatchDepth of k, from `k` on in the tile a; `row` is the
/// first of this lane, b the descriptor of the first step. The tensor cores,
/// which round towards zero, add up no more than this, the small terms first;
/// ordinary additions do the rest. `sums` is theirs to work in.
template <int kTerms, typename TileA>
__device__ __forceinline__ void multiply_batch(const float* a, int row, int k,
                                               uint64_t b, float (&sums)[32],
                                               float (&total)[32]) {
  k += 2 * (static_cast<int>(threadIdx.x) % 4);
  Operand<kTerms, 4> left[kBatchSteps];
#pragma unroll
  for (int i = 0; i < 2 * kBatchSteps; ++i) {
    const float2 x = TileA::pair(a, row + i % 2 * 8, k + i / 2 * kStepDepth);
    left[i / 2].set(i % 2, x.x);
    left[i / 2].set(i % 2 + 2, x.y);
  }
#pragma unroll
  for (int i = 0; i < kBatchSteps * 4; ++i) {
#pragma unroll
    for (auto& part : left[i / 4].part) pin(part[i % 4]);
  }
  begin_products();
#pragma unroll
  for (int i = 3 - kTerms; i < 3; ++i) {  // low high, high low, high high
#pragma unroll
    for (int step = 0; step < kBatchSteps; ++step) {
      start_product(
          sums, left[step].part[i == 0 ? 1 : 0],
          b + in_descriptor(2 * step * kCoreStep + (i == 1 ? kPartFloats : 0)),
          i + step > 3 - kTerms);
    }
  }
  finish_products();
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    pin(sums[e]);
    total[e] += sums[e];
  }
}

}  // namespace ordered_gnn::cuda
