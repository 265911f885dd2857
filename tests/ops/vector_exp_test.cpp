#include "ops/cpu/kernels/vector_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ordered_gnn::kernels {
namespace {

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(VectorExp, IsCloseToExp) {
  for (float x = -86.9f; x < 87.9f; x += 0.0137f) {
    const double expected = std::exp(static_cast<double>(x));
    EXPECT_NEAR(vector_exp(x) / expected, 1.0, 4e-7) << x;
  }
}

TEST(VectorExp, StaysWithinTheNumbersAtBothEnds) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(vector_exp(-kInfinity), vector_exp(-87.0f));
  EXPECT_EQ(vector_exp(kInfinity), vector_exp(88.0f));
  EXPECT_GT(vector_exp(-kInfinity), 0.0f);
  EXPECT_TRUE(std::isfinite(vector_exp(kInfinity)));
}

// The low bits of such a value would otherwise land in the exponent.
TEST(VectorExp, IsNoNumberForWhatIsNone) {
  for (const uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fc00001u,
                              0x7fc001ffu, 0xffffffffu, 0x7fa00005u}) {
    EXPECT_TRUE(std::isnan(vector_exp(from_bits(bits)))) << std::hex << bits;
  }
}

}  // namespace
}  // namespace ordered_gnn::kernels
