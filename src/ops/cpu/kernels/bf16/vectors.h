#pragma once
#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/vector.h"

// For kernel sources alone, as vector.h. Internal linkage throughout: the
// copies for different instruction sets must not be merged.
namespace ordered_gnn::kernels {

/// 16 of them as they lie in memory, and the bits of 16 floats.
using Bf16Vector = SimdOf<uint16_t, 32>::Type;
using FloatBits = SimdOf<uint32_t, 64>::Type;

static inline Vector<float> widened(const Bf16Vector& x) {
  const FloatBits bits = __builtin_convertvector(x, FloatBits) << 16;
  return (Vector<float>)bits;
}

static inline Bf16Vector narrowed(const Vector<float>& x) {
  const FloatBits bits = (FloatBits)x;
  const FloatBits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const FloatBits result =
      (bits & 0x7fffffffu) > 0x7f800000u ? rounded * 0 + 0x7fc0u : rounded;
  return __builtin_convertvector(result, Bf16Vector);
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
