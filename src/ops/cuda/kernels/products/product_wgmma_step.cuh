#pragma once
#include "ops/cuda/kernels/products/product_wgmma_rows.cuh"
#include "ops/cuda/kernels/products/wgmma.cuh"

// What a warpgroup multiplies: a lies in registers, b in shared memory as the
// tensor cores read it, split into TF32 numbers.
namespace ordered_gnn::cuda {

constexpr int kWgmmaRows = 64, kWgmmaColumns = 64;

/// A chunk of b, kWgmmaColumns by some k, consists of core matrices of 8
/// columns by 4 numbers of k, 128 bytes each. Neighbours in columns follow each
/// other, then batches of k with four core matrices each: matrix q has the k
/// that is number q of the lanes' Fragments. High parts come first, low parts
/// behind.
constexpr int kCoreFloats = 32;
constexpr int kCoreStep = kWgmmaColumns / 8 * kCoreFloats;  // along k
constexpr int kBatchFloats = kWgmmaColumns * kBatchDepth;

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

/// Brings chunks of b to shared memory, kNumbers of a column and a batch for
/// each of the block's threads; with kAlongK neighbours in memory are
/// neighbours in k.
template <typename Shape, bool kAlongK, typename Rows>
class ColumnLoad {
  static constexpr int kNumbers = Shape::kNumbers;
  static constexpr int kCores = kNumbers / 4;  // of the batch
  static constexpr int kShares = 4 / kCores;  // threads of a column and a batch

 public:
  __device__ __forceinline__ ColumnLoad(const Factor& from, int64_t begin,
                                        int64_t columns, int64_t k_begin,
                                        int depth) {
    const auto thread = static_cast<int>(threadIdx.x);
    const int column = thread % kWgmmaColumns;
    const int share = thread / kWgmmaColumns;
    const int k =
        share / kShares * kBatchDepth + Rows::k_of(share % kShares * kCores, 0);
    columns_left_ =
        static_cast<int>(min(columns - begin, int64_t{INT32_MAX})) - column;
    k_left_ = depth - k;
    from_ =
        from.first + (kAlongK ? (begin + column) * from.pitch + k_begin + k
                              : (k_begin + k) * from.pitch + begin + column);
  }

  /// This thread's part of the chunk at column `column` and at k, zeros past
  /// the ends.
  __device__ __forceinline__ void load(int column, int k, int64_t pitch) {
    const int left = column < columns_left_ ? k_left_ - k : 0;
    const float* from =
        from_ + (kAlongK ? column * pitch + k : k * pitch + column);
    if constexpr (kAlongK) {
      if (left >= kBatchDepth) {
        load_packs(from);
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) {
      const int j = Rows::k_of(i / 4, i % 4);
      x_[i] = j < left ? from[kAlongK ? j : j * pitch] : 0.0f;
    }
  }

  /// Splits it into the chunk.
  template <int kTerms>
  __device__ __forceinline__ void store(float* chunk) const {
    const auto thread = static_cast<int>(threadIdx.x);
    float* to = chunk + thread / kWgmmaColumns * kCores * kCoreStep +
                thread % kWgmmaColumns * 4;
#pragma unroll
    for (int q = 0; q < kCores; ++q) {
      Operand<kTerms, 4> y;
#pragma unroll
      for (int t = 0; t < 4; ++t) y.set(t, x_[4 * q + t]);
#pragma unroll
      for (int i = 0; i < y.kParts; ++i) {
        const uint32_t* part = y.part[i];
        store_shared(to + i * Shape::kPartFloats + q * kCoreStep, part[0],
                     part[1], part[2], part[3]);
      }
    }
  }

 private:
  /// Neighbours in k are numbers q of a lane, four apart.
  __device__ __forceinline__ void load_packs(const float* from) {
    static_assert(kCores == 4 && Rows::k_of(3, 0) == 3);
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const float4 y = reinterpret_cast<const float4*>(from)[t];
      x_[t] = y.x, x_[4 + t] = y.y, x_[8 + t] = y.z, x_[12 + t] = y.w;
    }
  }

  const float* from_;
  int columns_left_, k_left_;  // from this thread's first ones on
  float x_[kNumbers];
};

/// A lane's part of a batch of a, split.
template <int kTerms>
struct LeftOperand {
  Operand<kTerms, 4> step[2];

  __device__ __forceinline__ void set(const Fragment& a) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      // Steps take numbers 0, 1 and 2, 3 of both rows.
      step[e % 4 / 2].set(e / 4 + e % 2 * 2, a.x[e]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (auto& part : step[i / 4].part) pin(part[i % 4]);
    }
  }
};

/// Starts sums = a b over a batch, or sums += a b. b is the descriptor of its
/// first step; its low parts are kPartFloats behind the high ones. The small
/// terms come first.
template <int kTerms, int kPartFloats>
__device__ __forceinline__ void start_batch(const LeftOperand<kTerms>& a,
                                            uint64_t b, bool add,
                                            float (&sums)[32]) {
  begin_products();
#pragma unroll
  for (int i = 3 - kTerms; i < 3; ++i) {  // low high, high low, high high
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      start_product(
          sums, a.step[step].part[i == 0 ? 1 : 0],
          b + in_descriptor(2 * step * kCoreStep + (i == 1 ? kPartFloats : 0)),
          add || i + step > 3 - kTerms);
    }
  }
  commit_products();
}

}  // namespace ordered_gnn::cuda
