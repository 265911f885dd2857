#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

// What the stand-alone benchmarks of kernels share.
namespace gpu_bench {

inline void check(bool good, const char* what, const char* why) {
  if (good) return;
  std::fprintf(stderr, "failed: %s (%s)\n", what, why);
  std::exit(1);
}
inline void check(cudaError_t code, const char* what) {
  check(code == cudaSuccess, what, cudaGetErrorString(code));
}
#define CHECK_CUDA(call) gpu_bench::check(call, #call)

/// Device memory for `size` elements, freed with the object.
template <typename T>
class Buffer {
 public:
  explicit Buffer(int64_t size) : size_(size) {
    CHECK_CUDA(cudaMalloc(&data_, std::max<int64_t>(size, 1) * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& values)
      : Buffer(static_cast<int64_t>(values.size())) {
    CHECK_CUDA(cudaMemcpy(data_, values.data(), values.size() * sizeof(T),
                          cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  int64_t size_;
};

template <typename T>
__global__ void fill_kernel(T* x, int64_t size, uint32_t seed) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < size; i += stride) {
    uint32_t h = static_cast<uint32_t>(i) * 2654435761u ^ seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    h ^= h >> 16;
    x[i] = static_cast<T>(static_cast<float>(h >> 8) / 8388608.0f - 1.0f);
  }
}

/// Numbers in [-1, 1) that look random.
template <typename T>
void fill(const Buffer<T>& x, uint32_t seed) {
  fill_kernel<<<1024, 256>>>(x.data(), x.size(), seed * 7919);
  CHECK_CUDA(cudaGetLastError());
}

/// Median of 20, in microseconds.
inline double time(const std::function<void()>& run) {
  cudaEvent_t begin, end;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i) run();
  std::vector<float> times(20);
  for (float& t : times) {
    CHECK_CUDA(cudaEventRecord(begin));
    run();
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventElapsedTime(&t, begin, end));
  }
  std::sort(times.begin(), times.end());
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));
  return 1e3 * times[times.size() / 2];
}

}  // namespace gpu_bench
