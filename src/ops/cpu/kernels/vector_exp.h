#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ordered_gnn::kernels {

/// exp(x) for x <= 0 and moderate positive x, written without branches or
/// calls so that loops over it vectorise; about 2 ulp in float. Internal
/// linkage: the copies for different instruction sets must not be merged.
static inline float vector_exp(float x) {
  constexpr float kLog2E = 1.44269504088896341f;
  constexpr float kLn2High = 0.693359375f;
  constexpr float kLn2Low = -2.12194440e-4f;
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  // Adding 1.5 * 2^23 rounds to the nearest integer, which is then in the low
  // bits.
  const float shifted = x * kLog2E + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  uint32_t bits, exponent;
  std::memcpy(&bits, &p, sizeof(bits));
  std::memcpy(&exponent, &shifted, sizeof(exponent));
  bits += exponent << 23;
  std::memcpy(&p, &bits, sizeof(p));
  // What is no number stays none, whatever its bits are.
  return x == x ? p : x;
}

static inline double vector_exp(double x) { return std::exp(x); }

}  // namespace ordered_gnn::kernels
