#pragma once
#include <type_traits>

#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/kernels/gates/gate_row.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/norm_row.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

// Rows of 256 columns with 64 gates of four columns each, the layout of the
// paper's models. A lane of a warp owns two gates and their columns: all of a
// gate is in one lane and a row never leaves the registers. Its columns are the
// packs of a 16-byte load, so in float the gates are l and l + 32, and in
// bfloat16, where a load has the columns of two gates, 2 l and 2 l + 1. A warp
// walks through many rows and asks for a value of the next row as soon as the
// one of this row is used up, so that loads are under way all the time without
// a second set of registers.
namespace ordered_gnn::cuda {

constexpr int kFastGates = 64;
constexpr int kFastColumns = 4;
constexpr int kFastDim = kFastGates * kFastColumns;
constexpr int kLaneGates = kFastGates / kWarp;
static_assert(kLaneGates == 2 && kLaneGates * kFastColumns == kPerLane &&
                  kFastDim == kSpan,
              "slot j of a lane belongs to its gate j / kFastColumns");

/// Columns that a lane has side by side.
template <typename S>
constexpr int kFastPack = kVector<S>;
/// Whether its gates lie side by side too.
template <typename S>
constexpr bool kGatesPaired = kFastPack<S> == kPerLane;

/// The number in the row of the lane's gate i.
template <typename S>
__device__ __forceinline__ int gate_number(int i) {
  return kGatesPaired<S> ? lane_id() * kLaneGates + i : i * kWarp + lane_id();
}

/// Storage types that the kernels for this layout exist for.
template <typename S>
constexpr bool kHasFast = !std::is_same_v<S, double>;

template <typename S>
cudaError_t launch_gate_norm_forward_fast(const GateNormForward<S>& job,
                                          cudaStream_t stream);

template <typename S>
cudaError_t launch_gate_norm_backward_fast(const GateNormBackward<S>& job,
                                           int64_t blocks, cudaStream_t stream);

/// The lane's columns of a row, as they are stored.
template <typename S>
struct FastRow : RawTile<kFastPack<S>, S> {
  __device__ __forceinline__ void load(const S* rows, int64_t v) {
    RawTile<kFastPack<S>, S>::load(rows + v * kFastDim, 0, kFastDim);
  }
};

template <typename S>
__device__ __forceinline__ void store_row(
    S* row, const Compute<S> (&values)[kPerLane]) {
  for_packs<kFastPack<S>>(0, kFastDim, [&](int j, int column) {
    store_pack<kFastPack<S>>(row + column, values + j);
  });
}

/// The lane's gates of a row, as they are stored: one load where they lie side
/// by side.
template <typename S>
struct StoredGates {
  static constexpr int kPack = kGatesPaired<S> ? kLaneGates : 1;
  Raw<S, kPack> pack[kLaneGates / kPack];

  __device__ __forceinline__ void load(const S* rows, int64_t v) {
#pragma unroll
    for (int i = 0; i < kLaneGates / kPack; ++i) {
      pack[i].load(rows + v * kFastGates + gate_number<S>(i));
    }
  }
  __device__ __forceinline__ void store(S* rows, int64_t v) const {
#pragma unroll
    for (int i = 0; i < kLaneGates / kPack; ++i) {
      pack[i].store(rows + v * kFastGates + gate_number<S>(i));
    }
  }
  __device__ __forceinline__ void set(const Compute<S> (&values)[kLaneGates]) {
#pragma unroll
    for (int i = 0; i < kLaneGates / kPack; ++i) {
      pack[i].set(values + i * kPack);
    }
  }
  __device__ __forceinline__ Compute<S> operator[](int i) const {
    return pack[i / kPack][i % kPack];
  }
};

template <typename Job>
bool has_fast_shape(const Job& job) {
  return job.gates == kFastGates && job.dim == kFastDim &&
         job.mode != GateMode::simple && job.norm_weight != nullptr;
}

/// Whether the kernels for this layout take a job: its shape, and rows that
/// allow their loads.
template <typename S>
bool has_fast_layout(const GateNormForward<S>& job) {
  return has_fast_shape(job) &&
         packs_aligned<kFastPack<S>>(job.h, job.m, job.out) &&
         packs_aligned<StoredGates<S>::kPack>(job.logits, job.prev_gate,
                                              job.gate) &&
         all_aligned(job.norm_weight, job.norm_bias);
}

template <typename S>
bool has_fast_layout(const GateNormBackward<S>& job) {
  return has_fast_shape(job) && job.grad_pitch % kFastPack<S> == 0 &&
         packs_aligned<kFastPack<S>>(job.h, job.m, job.grad_out, job.grad_h,
                                     job.grad_m) &&
         packs_aligned<StoredGates<S>::kPack>(job.logits, job.prev_gate,
                                              job.gate, job.grad_gate,
                                              job.grad_logits, job.grad_prev) &&
         all_aligned(job.norm_weight);
}

/// x[i] becomes the sum over the gates of the row from the lane's gate i on.
/// Returns the sum of all of them.
template <typename S, typename T>
__device__ __forceinline__ T suffix_sums(T (&x)[kLaneGates]) {
  if constexpr (kGatesPaired<S>) {
    const T from_lane = suffix_sum(x[0] + x[1]);
    const T next = __shfl_down_sync(kAllLanes, from_lane, 1);
    x[1] += lane_id() + 1 < kWarp ? next : T(0);
    x[0] = from_lane;
    return __shfl_sync(kAllLanes, from_lane, 0);
  } else {
    x[0] = suffix_sum(x[0]);
    x[1] = suffix_sum(x[1]);
    const T after = __shfl_sync(kAllLanes, x[1], 0);
    const T total = __shfl_sync(kAllLanes, x[0], 0) + after;
    x[0] += after;
    return total;
  }
}

/// x[i] becomes the sum over the gates of the row up to the lane's gate i.
template <typename S, typename T>
__device__ __forceinline__ void prefix_sums(T (&x)[kLaneGates]) {
  if constexpr (kGatesPaired<S>) {
    const T to_lane = prefix_sum(x[0] + x[1]);
    const T before = __shfl_up_sync(kAllLanes, to_lane, 1);
    x[0] += lane_id() > 0 ? before : T(0);
    x[1] = to_lane;
  } else {
    x[0] = prefix_sum(x[0]);
    x[1] = prefix_sum(x[1]);
    x[1] += __shfl_sync(kAllLanes, x[0], kWarp - 1);
  }
}

template <typename T>
struct OrderedGates {
  T p[kLaneGates];     // softmax
  T open[kLaneGates];  // its sums from a gate on
};

/// exp(x); where gates are stored in 16 bits, by the device's own instruction,
/// whose error those do not show.
template <typename S>
__device__ __forceinline__ Compute<S> gate_exp(Compute<S> x) {
  if constexpr (sizeof(S) == 2) {
    return __expf(x);
  } else {
    return exp_of(x);
  }
}

template <typename S>
__device__ __forceinline__ OrderedGates<Compute<S>> ordered_gates(
    const StoredGates<S>& logits) {
  using T = Compute<S>;
  const T highest = warp_max(max_of(logits[0], logits[1]));
  OrderedGates<T> result;
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    result.p[i] = result.open[i] = gate_exp<S>(logits[i] - highest);
  }
  // The sums include that of all gates, which a softmax divides by.
  const T inverse = T(1) / suffix_sums<S>(result.open);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    result.p[i] *= inverse;
    result.open[i] *= inverse;
  }
  return result;
}

/// Bit j tells whether slot j of the lane's columns is kept by row v of the
/// mask. All lanes must call it.
template <typename S>
__device__ __forceinline__ uint32_t kept_row(const DropoutMask& mask,
                                             uint64_t counter_high, int64_t v) {
  return kept_tile<kFastPack<S>>(mask, counter_high, v * kFastDim, 0, kFastDim);
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
