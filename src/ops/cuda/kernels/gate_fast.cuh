#pragma once
#include <cstring>
#include <type_traits>

#include "ops/cuda/kernels/gate_norm.h"
#include "ops/cuda/kernels/gate_row.cuh"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/row_tile.cuh"

// Rows of 256 columns with 64 gates of four columns each, the layout of the
// paper's models. Lane l of a warp owns the gates l and l + 32 and their
// columns, a pack of four each: all of a gate is in one lane and a row never
// leaves the registers. A warp walks through many rows and asks for a value of
// the next row as soon as the one of this row is used up, so that loads are
// under way all the time without a second set of registers.
namespace ordered_gnn::cuda {

constexpr int kFastGates = 64;
constexpr int kFastColumns = 4;
constexpr int kFastDim = kFastGates * kFastColumns;
constexpr int kLaneGates = kFastGates / kWarp;
static_assert(kLaneGates * kFastColumns == kPerLane && kFastDim == kSpan,
              "slot j of a lane belongs to its gate j / kFastColumns");

/// Storage types that the kernels for this layout exist for.
template <typename S>
constexpr bool kHasFast = !std::is_same_v<S, double>;

/// Whether they take a job whose rows allow loads of kFastColumns neighbours.
template <typename Job>
bool has_fast_layout(const Job& job) {
  return job.gates == kFastGates && job.dim == kFastDim &&
         job.mode != GateMode::simple && job.norm_weight != nullptr;
}

template <typename S>
cudaError_t launch_gate_norm_forward_fast(const GateNormForward<S>& job,
                                          cudaStream_t stream);

template <typename S>
cudaError_t launch_gate_norm_backward_fast(const GateNormBackward<S>& job,
                                           int64_t blocks, cudaStream_t stream);

/// A lane's columns of one gate as they lie in memory. Whole words: of single
/// bfloat16 numbers the compiler makes as many registers and stores.
template <typename S>
struct FastPack;

template <>
struct FastPack<float> {
  float4 x;

  __device__ __forceinline__ static FastPack from(const float* value) {
    return {make_float4(value[0], value[1], value[2], value[3])};
  }
  __device__ __forceinline__ float operator[](int k) const {
    return k == 0 ? x.x : k == 1 ? x.y : k == 2 ? x.z : x.w;
  }
};

template <>
struct FastPack<__nv_bfloat16> {
  uint2 x;

  __device__ __forceinline__ static uint32_t word(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &pair, sizeof(bits));
    return bits;
  }
  __device__ __forceinline__ static FastPack from(const float* value) {
    return {make_uint2(word(value[0], value[1]), word(value[2], value[3]))};
  }
  /// A bfloat16 number is the upper half of a float.
  __device__ __forceinline__ float operator[](int k) const {
    const uint32_t both = k < 2 ? x.x : x.y;
    return __uint_as_float(k % 2 == 0 ? both << 16 : both & 0xffff0000u);
  }
};

/// The lane's columns of a row, as they are stored.
template <typename S>
struct FastRow {
  FastPack<S> pack[kLaneGates];

  __device__ __forceinline__ void load(const S* rows, int64_t v) {
    for_packs<kFastColumns>(0, kFastDim, [&](int j, int column) {
      pack[j / kFastColumns] =
          *reinterpret_cast<const FastPack<S>*>(rows + v * kFastDim + column);
    });
  }
  __device__ __forceinline__ Compute<S> operator[](int j) const {
    return pack[j / kFastColumns][j % kFastColumns];
  }
};

template <typename S>
__device__ __forceinline__ void store_row(
    S* row, const Compute<S> (&values)[kPerLane]) {
  for_packs<kFastColumns>(0, kFastDim, [&](int j, int column) {
    *reinterpret_cast<FastPack<S>*>(row + column) =
        FastPack<S>::from(values + j);
  });
}

/// The lane's gates of a row, as they are stored.
template <typename S>
struct StoredGates {
  S x[kLaneGates];

  __device__ __forceinline__ void load(const S* rows, int64_t v) {
    const S* const row = rows + v * kFastGates + lane_id();
#pragma unroll
    for (int i = 0; i < kLaneGates; ++i) x[i] = row[i * kWarp];
  }
  __device__ __forceinline__ void store(S* rows, int64_t v) const {
    S* const row = rows + v * kFastGates + lane_id();
#pragma unroll
    for (int i = 0; i < kLaneGates; ++i) row[i * kWarp] = x[i];
  }
  __device__ __forceinline__ Compute<S> operator[](int i) const {
    return to_compute(x[i]);
  }
  __device__ __forceinline__ void set(int i, Compute<S> value) {
    x[i] = to_storage<S>(value);
  }
};

/// x[c] becomes the sum of x[c ..] over the gates of the row. Returns the sum
/// of all of them.
template <typename T>
__device__ __forceinline__ T suffix_sums(T (&x)[kLaneGates]) {
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) x[i] = suffix_sum(x[i]);
  T after = T(0);
#pragma unroll
  for (int i = kLaneGates - 1; i >= 0; --i) {
    const T total = __shfl_sync(kAllLanes, x[i], 0);
    x[i] += after;
    after += total;
  }
  return after;
}

/// x[c] becomes the sum of x[.. c].
template <typename T>
__device__ __forceinline__ void prefix_sums(T (&x)[kLaneGates]) {
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) x[i] = prefix_sum(x[i]);
  T before = T(0);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    const T total = __shfl_sync(kAllLanes, x[i], kWarp - 1);
    x[i] += before;
    before += total;
  }
}

template <typename T>
struct OrderedGates {
  T p[kLaneGates];     // softmax
  T open[kLaneGates];  // its sums from a gate on
};

template <typename S>
__device__ __forceinline__ OrderedGates<Compute<S>> ordered_gates(
    const StoredGates<S>& logits) {
  using T = Compute<S>;
  T highest = logits[0];
#pragma unroll
  for (int i = 1; i < kLaneGates; ++i) {
    highest = logits[i] > highest ? logits[i] : highest;
  }
  highest = warp_max(highest);
  OrderedGates<T> result;
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    result.p[i] = result.open[i] = exp_of(logits[i] - highest);
  }
  // The sums include that of all gates, which a softmax divides by.
  const T inverse = T(1) / suffix_sums(result.open);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    result.p[i] *= inverse;
    result.open[i] *= inverse;
  }
  return result;
}

/// Bit j tells whether slot j of the lane's columns of row v is kept. All lanes
/// must call it.
__device__ __forceinline__ uint32_t kept_row(const DropoutMask& mask,
                                             uint64_t counter_high, int64_t v) {
  return kept_tile<kFastColumns>(mask, counter_high, v * kFastDim, 0, kFastDim);
}

/// Drops the lane's values in place; the scale of an inactive mask is 1.
template <typename T>
__device__ __forceinline__ void drop_row(uint32_t kept, double scale,
                                         T (&values)[kPerLane]) {
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    values[j] = kept >> j & 1u ? values[j] * static_cast<T>(scale) : T(0);
  }
}

}  // namespace ordered_gnn::cuda
