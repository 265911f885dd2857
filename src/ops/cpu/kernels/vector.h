#pragma once
#include <cstdint>

namespace ordered_gnn::kernels {

/// A vector of kBytes bytes. Arithmetic operators work element by element.
/// Written out because loops over small arrays are not reliably kept in vector
/// registers.
template <typename T, int kBytes>
struct SimdOf {
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T Unaligned
      __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};

/// Bytes of a register of the instruction set, and 64-byte vectors that fit all
/// registers as accumulators with room to spare.
#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
constexpr int kAccumulators = 16;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32;
constexpr int kAccumulators = 4;
#else
constexpr int kRegisterBytes = 16;
constexpr int kAccumulators = 2;
#endif

/// A fixed 64-byte vector, whatever registers the instruction set has: one of
/// AVX-512, two of AVX2, four of the baseline.
template <typename T>
using Vector = typename SimdOf<T, 64>::Type;

/// A vector of one register, for loops that must know how many they use.
template <typename T>
using Register = typename SimdOf<T, kRegisterBytes>::Type;

template <typename T>
constexpr int kVectorWidth = 64 / static_cast<int>(sizeof(T));
template <typename T>
constexpr int kRegisterWidth = kRegisterBytes / static_cast<int>(sizeof(T));

template <int kBytes = 64, typename T>
static inline typename SimdOf<T, kBytes>::Type load(const T* source) {
  return *reinterpret_cast<const typename SimdOf<T, kBytes>::Unaligned*>(
      source);
}

template <int kBytes = 64, typename T>
static inline void store(T* target,
                         const typename SimdOf<T, kBytes>::Type& value) {
  *reinterpret_cast<typename SimdOf<T, kBytes>::Unaligned*>(target) = value;
}

/// Sum of the elements, in halves: a chain of additions would wait for each.
template <typename T, int kBytes = 64>
static inline T sum_of(const typename SimdOf<T, kBytes>::Type& value) {
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  T part[kWidth];
  store<kBytes>(part, value);
#pragma GCC unroll 4
  for (int half = kWidth / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

}  // namespace ordered_gnn::kernels
