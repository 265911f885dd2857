#pragma once
#include <cstdint>

// The TF32 product of a warpgroup, four warps that start at a multiple of four.
// It needs code for compute capability 9.0 with its special features (sm_90a).
namespace ordered_gnn::cuda {

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool kHasWgmma = false;
#else
constexpr bool kHasWgmma = true;
#endif

/// The address by which the tensor cores know shared memory.
__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Stores 16 bytes to shared memory at once, which stores of the parts would
/// not reliably become.
__device__ __forceinline__ void store_shared(void* to, uint32_t x, uint32_t y,
                                             uint32_t z, uint32_t w) {
  asm volatile(
      "st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(to)),
      "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

/// Lets the tensor cores see what this thread has stored to shared memory, from
/// the next barrier on.
__device__ __forceinline__ void publish_to_tensor_cores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Keeps the computation of x on its side of the instructions around this.
__device__ __forceinline__ void pin(uint32_t& x) {
  asm volatile("" : "+r"(x)::"memory");
}
__device__ __forceinline__ void pin(float& x) {
  asm volatile("" : "+f"(x)::"memory");
}

/// Orders the registers' earlier uses before the products that follow.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Ends a group of products.
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most kGroups groups of products are at work.
template <int kGroups>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

/// Starts sum = a b (+ sum) for a 64 x 8 tile a and a 64 x 64 tile sum, spread
/// over the threads of a warpgroup, and an 8 x 64 tile b in shared memory that
/// the descriptor `b` tells of. Of a and sum warp w has rows 16 w to 16 w + 15.
/// With g = lane / 4 and t = lane % 4 a lane holds of these a = (g, t),
/// (g + 8, t), (g, t + 4), (g + 8, t + 4) and as number 4 i + 2 j + l of sum
/// (g + 8 j, 8 i + 2 t + l). The tensor cores ignore the 13 low bits of a and b
/// and round sums towards zero.
__device__ __forceinline__ void start_product(float (&sum)[32],
                                              const uint32_t (&a)[4],
                                              uint64_t b, bool add) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31}, {%32, %33, %34, %35}, %36, p, 1, 1;\n"
      "}\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]),
        "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]),
        "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]),
        "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]),
        "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]),
        "+f"(sum[22]), "+f"(sum[23]), "+f"(sum[24]), "+f"(sum[25]),
        "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]),
        "+f"(sum[30]), "+f"(sum[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),
        "r"(static_cast<int>(add))
      : "memory");
}

}  // namespace ordered_gnn::cuda
