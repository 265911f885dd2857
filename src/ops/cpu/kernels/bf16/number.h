#pragma once
#include <cstdint>
#include <cstring>

// Internal linkage throughout: the copies for different instruction sets must
// not be merged.
namespace ordered_gnn::kernels {

/// A number in bfloat16: the upper half of a float.
struct Bf16 {
  uint16_t bits;
};

template <typename S>
struct ComputedAs {
  using type = S;
};
template <>
struct ComputedAs<Bf16> {
  using type = float;
};

/// The type that numbers stored as S are computed in.
template <typename S>
using Computed = typename ComputedAs<S>::type;

static inline float widened(Bf16 x) {
  const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

/// Rounded to the nearest, ties to even; what is no number stays none. In whole
/// numbers, so that the bits do not depend on the instruction set.
static inline Bf16 narrowed(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fc0};
  return {static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

/// A stored number in the type it is computed in, and back.
static inline float computed(float x) { return x; }
static inline double computed(double x) { return x; }
static inline float computed(Bf16 x) { return widened(x); }

static inline void set_stored(float& target, float x) { target = x; }
static inline void set_stored(double& target, double x) { target = x; }
static inline void set_stored(Bf16& target, float x) { target = narrowed(x); }

}  // namespace ordered_gnn::kernels
