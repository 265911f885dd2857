#include "ordered_gnn/core/random.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace ordered_gnn::core {
namespace {

TEST(Philox, MatchesThePublishedTestVectors) {
  const Philox::Block zeros = Philox::block(0, 0, 0);
  EXPECT_EQ(zeros,
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const Philox::Block ones =
      Philox::block(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0});
  EXPECT_EQ(ones,
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(RandomStream, IsFixedBySeedAndStream) {
  RandomStream a(7, 1), again(7, 1), other_stream(7, 2), other_seed(8, 1);
  const uint64_t first = a.next_u64();
  EXPECT_EQ(first, again.next_u64());
  EXPECT_NE(first, other_stream.next_u64());
  EXPECT_NE(first, other_seed.next_u64());
}

TEST(RandomStream, UniformAndNormalHaveTheirMoments) {
  RandomStream random(1);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    const double x = random.normal();
    normal_sum += x;
    normal_squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / kDraws, 0.0, 0.01);
  EXPECT_NEAR(normal_squares / kDraws, 1.0, 0.02);
}

TEST(RandomStream, BelowReachesEveryValueAboutEquallyOften) {
  RandomStream random(2);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(FillUniform, DoesNotDependOnTheLayout) {
  RandomStream a(3), b(3);
  at::Tensor plain = torch::empty({5, 7});
  at::Tensor turned = torch::empty({7, 5}).t();
  fill_uniform(plain, -2, 3, a);
  fill_uniform(turned, -2, 3, b);
  EXPECT_TRUE(torch::equal(plain, turned));
  EXPECT_GE(plain.min().item<float>(), -2.f);
  EXPECT_LE(plain.max().item<float>(), 3.f);
}

TEST(RandomPermutation, HoldsEveryIndexOnce) {
  RandomStream random(4);
  const at::Tensor order = random_permutation(100, random);
  EXPECT_TRUE(
      torch::equal(std::get<0>(order.sort()), torch::arange(100, at::kLong)));
  EXPECT_FALSE(torch::equal(order, torch::arange(100, at::kLong)));
}

}  // namespace
}  // namespace ordered_gnn::core
