#pragma once

// Functions of numbers, and of a warp (warp_ and the sums): those all 32 lanes
// must call, and they add in an order fixed by the lane numbers, so that every
// run has the same bits.
namespace ordered_gnn::cuda {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ int lane_id() {
  return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ __forceinline__ int warp_id() {
  return static_cast<int>(threadIdx.x) / kWarp;
}
__device__ __forceinline__ int warps_per_block() {
  return static_cast<int>(blockDim.x) / kWarp;
}

/// The sum of all lanes, in every lane: partners add the same two numbers, so
/// all lanes hold the same bits.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  return value;
}

/// The larger number; NaN only if both are.
__device__ __forceinline__ float max_of(float x, float y) {
  return fmaxf(x, y);
}
__device__ __forceinline__ double max_of(double x, double y) {
  return fmax(x, y);
}

template <typename T>
__device__ __forceinline__ T warp_max(T value) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value = max_of(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

/// Lane l gets the sum of the lanes l .. 31.
template <typename T>
__device__ __forceinline__ T suffix_sum(T value) {
#pragma unroll
  for (int offset = 1; offset < kWarp; offset *= 2) {
    const T other = __shfl_down_sync(kAllLanes, value, offset);
    if (lane_id() + offset < kWarp) value += other;
  }
  return value;
}

/// Lane l gets the sum of the lanes 0 .. l.
template <typename T>
__device__ __forceinline__ T prefix_sum(T value) {
#pragma unroll
  for (int offset = 1; offset < kWarp; offset *= 2) {
    const T other = __shfl_up_sync(kAllLanes, value, offset);
    if (lane_id() >= offset) value += other;
  }
  return value;
}

/// max(x, 0), but NaN stays.
__device__ __forceinline__ float relu_of(float x) {
  float y;
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ double relu_of(double x) { return x < 0 ? 0 : x; }
__device__ __forceinline__ float exp_of(float x) { return expf(x); }
__device__ __forceinline__ double exp_of(double x) { return exp(x); }
__device__ __forceinline__ float sqrt_of(float x) { return sqrtf(x); }
__device__ __forceinline__ double sqrt_of(double x) { return sqrt(x); }
/// 1 / sqrt(x), to two units in the last place.
__device__ __forceinline__ float rsqrt_of(float x) { return rsqrtf(x); }
__device__ __forceinline__ double rsqrt_of(double x) { return rsqrt(x); }

}  // namespace ordered_gnn::cuda
