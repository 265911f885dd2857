#pragma once
#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/vector.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

// For kernel sources alone, as vector.h. Internal linkage throughout: the
// copies for different instruction sets must not be merged.
namespace ordered_gnn::kernels {

/// 16 of them as they lie in memory, and the bits of 16 floats.
using Bf16Vector = SimdOf<uint16_t, 32>::Type;
using FloatBits = SimdOf<uint32_t, 64>::Type;

#if defined(__AVX512BW__)

// One instruction each to change the width, where compilers take a handful. The
// forms without a mask make some of them warn of their own header.
static inline FloatBits as_words(const Bf16Vector& x) {
  return (FloatBits)_mm512_maskz_cvtepu16_epi32(0xffff, (__m256i)x);
}
static inline Bf16Vector low_halves(const FloatBits& x) {
  return (Bf16Vector)_mm512_maskz_cvtepi32_epi16(0xffff, (__m512i)x);
}

#else

static inline FloatBits as_words(const Bf16Vector& x) {
  return __builtin_convertvector(x, FloatBits);
}
static inline Bf16Vector low_halves(const FloatBits& x) {
  return __builtin_convertvector(x, Bf16Vector);
}

#endif

static inline Vector<float> widened(const Bf16Vector& x) {
  return (Vector<float>)(as_words(x) << 16);
}

static inline Bf16Vector narrowed(const Vector<float>& x) {
  const FloatBits bits = (FloatBits)x;
  const FloatBits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return low_halves(x == x ? rounded : rounded * 0 + 0x7fc0u);
}

/// 16 numbers of a row, in the type they are computed in; a row of floats is
/// loaded and stored as it is.
static inline Vector<float> load_row(const Bf16* source) {
  return widened(load<32>(reinterpret_cast<const uint16_t*>(source)));
}
static inline void store_row(Bf16* target, const Vector<float>& value) {
  store<32>(reinterpret_cast<uint16_t*>(target), narrowed(value));
}

static inline Vector<float> load_row(const float* source) {
  return load(source);
}
static inline Vector<double> load_row(const double* source) {
  return load(source);
}
static inline void store_row(float* target, const Vector<float>& value) {
  store(target, value);
}
static inline void store_row(double* target, const Vector<double>& value) {
  store(target, value);
}

}  // namespace ordered_gnn::kernels
