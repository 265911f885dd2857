#pragma once
#include <cstdint>

// Instructions for which CUDA C++ has no name: asynchronous copies to shared
// memory and the TF32 product of a warp. They need compute capability 8.6.
namespace ordered_gnn::cuda {

/// Starts a copy of `bytes` of V floats to shared memory; zeros fill the rest.
/// `from` is read only when bytes > 0. Both are multiples of 4 V bytes.
template <int V>
__device__ __forceinline__ void copy_async(float* to, const float* from,
                                           int bytes) {
  const auto shared = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (V == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(from), "r"(bytes)
                 : "memory");
  } else {
    static_assert(V == 1, "copies are of 4 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared),
                 "l"(from), "r"(bytes)
                 : "memory");
  }
}

/// Ends a group of copies.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most kGroups of this thread's groups are on their way.
template <int kGroups>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

/// x to the nearest TF32 number.
__device__ __forceinline__ uint32_t round_to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

/// As round_to_tf32(), but finite: what lies beyond the largest TF32 number,
/// infinity and NaN included, becomes that number with the sign of x.
__device__ __forceinline__ uint32_t round_to_finite_tf32(float x) {
  constexpr uint32_t kHalfUnit = 0x1000, kBits = 0xffffe000;
  float near;
  asm("min.xorsign.abs.f32 %0, %1, 0f7F7FE000;" : "=f"(near) : "f"(x));
  return (__float_as_uint(near) + kHalfUnit) & kBits;
}

/// sum += a b for a 16 x 8 tile a, an 8 x 8 tile b and a 16 x 8 tile sum that
/// are spread over the lanes of a warp. With g = lane / 4 and t = lane % 4:
/// a = (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4); b = (t, g), (t + 4, g);
/// sum = (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). The tensor cores
/// ignore the 13 low bits of a and b and round sums towards zero.
__device__ __forceinline__ void multiply_tf32(float (&sum)[4],
                                              const uint32_t (&a)[4],
                                              const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace ordered_gnn::cuda
