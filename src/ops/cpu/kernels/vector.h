#pragma once
#include <cstdint>

namespace ordered_gnn::kernels {

/// A fixed 64-byte vector, whatever registers the instruction set has: one of
/// AVX-512, two of AVX2, four of the baseline. Arithmetic operators work
/// element by element. Written out because loops over small arrays are not
/// reliably kept in vector registers.
template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(64)));
  typedef float Unaligned
      __attribute__((vector_size(64), aligned(4), may_alias));
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(64)));
  typedef double Unaligned
      __attribute__((vector_size(64), aligned(8), may_alias));
};

template <typename T>
using Vector = typename VectorOf<T>::Type;

template <typename T>
constexpr int kVectorWidth = 64 / static_cast<int>(sizeof(T));

/// Vectors that fit the registers as accumulators with room to spare.
#if defined(__AVX512F__)
constexpr int kAccumulators = 16;
#elif defined(__AVX2__)
constexpr int kAccumulators = 4;
#else
constexpr int kAccumulators = 2;
#endif

template <typename T>
static inline Vector<T> load(const T* source) {
  return *reinterpret_cast<const typename VectorOf<T>::Unaligned*>(source);
}

template <typename T>
static inline void store(T* target, const Vector<T>& value) {
  *reinterpret_cast<typename VectorOf<T>::Unaligned*>(target) = value;
}

template <typename T>
static inline T sum_of(const Vector<T>& value) {
  T total = T(0);
  for (int i = 0; i < kVectorWidth<T>; ++i) total += value[i];
  return total;
}

}  // namespace ordered_gnn::kernels
