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

/// A vector of one register of the instruction set, for loops that must know
/// how many registers they use.
#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif
template <typename T>
struct RegisterOf;
template <>
struct RegisterOf<float> {
  typedef float Type __attribute__((vector_size(kRegisterBytes)));
  typedef float Unaligned
      __attribute__((vector_size(kRegisterBytes), aligned(4), may_alias));
};
template <>
struct RegisterOf<double> {
  typedef double Type __attribute__((vector_size(kRegisterBytes)));
  typedef double Unaligned
      __attribute__((vector_size(kRegisterBytes), aligned(8), may_alias));
};

template <typename T>
using Register = typename RegisterOf<T>::Type;

template <typename T>
constexpr int kRegisterWidth = kRegisterBytes / static_cast<int>(sizeof(T));

template <typename T>
static inline Register<T> load_register(const T* source) {
  return *reinterpret_cast<const typename RegisterOf<T>::Unaligned*>(source);
}

template <typename T>
static inline void store_register(T* target, const Register<T>& value) {
  *reinterpret_cast<typename RegisterOf<T>::Unaligned*>(target) = value;
}

template <typename T>
static inline Vector<T> load(const T* source) {
  return *reinterpret_cast<const typename VectorOf<T>::Unaligned*>(source);
}

template <typename T>
static inline void store(T* target, const Vector<T>& value) {
  *reinterpret_cast<typename VectorOf<T>::Unaligned*>(target) = value;
}

/// Sum of the elements, in halves: a chain of additions would wait for each.
template <typename T>
static inline T sum_of(const Vector<T>& value) {
  T part[kVectorWidth<T>];
  store(part, value);
#pragma GCC unroll 4
  for (int half = kVectorWidth<T> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

}  // namespace ordered_gnn::kernels
