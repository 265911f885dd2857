// What the host hands to the kernels of a GPU for their dropout masks.
#include "ops/cuda/kernels/rows/dropout_mask.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ordered_gnn/core/philox.h"

namespace ordered_gnn {
namespace {

using cuda::DropoutMask;

// As a kernel does it, by the keys of the mask.
Philox::Block block_of(const DropoutMask& mask, uint64_t low, uint64_t high) {
  uint32_t c[4] = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                   static_cast<uint32_t>(high),
                   static_cast<uint32_t>(high >> 32)};
  for (int round = 0; round < DropoutMask::kRounds; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * c[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * c[2];
    c[0] = static_cast<uint32_t>(product1 >> 32) ^ c[1] ^
           mask.round_keys[2 * round];
    c[2] = static_cast<uint32_t>(product0 >> 32) ^ c[3] ^
           mask.round_keys[2 * round + 1];
    c[1] = static_cast<uint32_t>(product1);
    c[3] = static_cast<uint32_t>(product0);
  }
  return {c[0], c[1], c[2], c[3]};
}

TEST(DropoutMask, HasTheKeysOfEveryPhiloxRound) {
  for (const int64_t seed :
       {int64_t{0}, int64_t{42}, int64_t{-3}, int64_t{0x0123456789abcdef}}) {
    const DropoutMask mask({seed, 7, 3}, 0.5);
    for (const uint64_t low : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      EXPECT_EQ(
          block_of(mask, low, mask.counter_high),
          Philox::block(static_cast<uint64_t>(seed), low, mask.counter_high));
    }
  }
}

TEST(DropoutMask, LeavesTheStepToAPlaceOnTheDevice) {
  const int64_t step = 7;
  const DropoutMask by_number({1, step, 3}, 0.5);
  const DropoutMask by_place({1, /*step=*/0, 3, &step}, 0.5);
  EXPECT_EQ(by_number.step, nullptr);
  EXPECT_EQ(by_place.step, &step);
  // As counter_high_of() joins the two.
  EXPECT_EQ(by_place.counter_high | uint64_t{7} << 16, by_number.counter_high);
}

TEST(DropoutMask, KeepsTheWordsFromTheRoundedRateOn) {
  for (const double p : {1e-9, 1e-5, 0.1, 0.5, 0.9, 1 - 1.0 / 65536}) {
    const DropoutMask mask({1, 2, 3}, p);
    const auto first = static_cast<uint32_t>(std::floor(p * 65536 + 0.5));
    for (uint32_t word = 0; word < 65536; ++word) {
      for (const uint32_t below : {0u, 1u, 0xffffu}) {
        ASSERT_EQ((word << 16 | below) >= mask.lowest_kept, word >= first)
            << p << ' ' << word;
      }
    }
    EXPECT_EQ(mask.scale, 1 / (1 - p));
  }
}

TEST(DropoutMask, OfARateThatRoundsToOneLetsNothingThrough) {
  const DropoutMask mask({1, 2, 3}, 0.999999);
  EXPECT_LT(0xfffffffeu, mask.lowest_kept);
  EXPECT_EQ(mask.scale, 0);
}

TEST(DropoutMask, WithoutARateKeepsAll) {
  const DropoutMask mask({1, 2, 3}, 0);
  EXPECT_FALSE(mask.active);
  EXPECT_EQ(mask.lowest_kept, 0u);
  EXPECT_EQ(mask.scale, 1);
}

}  // namespace
}  // namespace ordered_gnn
