#include "ordered_gnn/core/box_tails.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

BoxTails tails_of_values(const std::vector<float>& values, size_t most = 20) {
  return box_tails(values, five_numbers(values), most);
}

TEST(BoxTails, GivesHandWorkedWhiskers) {
  // Quartiles 3 and 7, so the fences are at -3 and 13.
  const BoxTails tails = tails_of_values({-4, 2, 3, 4, 5, 6, 7, 13, 14});
  EXPECT_EQ(tails.low, 2);
  EXPECT_EQ(tails.high, 13);
  EXPECT_EQ(tails.num_outliers, 2);
  EXPECT_EQ(tails.sample, (std::vector<float>{-4, 14}));
}

// matplotlib.cbook.boxplot_stats([1, 1, 1, 1, 9]): whiskers 1 and 1.
TEST(BoxTails, ABoxWithoutHeightHasOutliersAtOnce) {
  const BoxTails tails = tails_of_values({1, 1, 1, 1, 9});
  EXPECT_EQ(tails.low, 1);
  EXPECT_EQ(tails.high, 1);
  EXPECT_EQ(tails.num_outliers, 1);
  const BoxTails one = tails_of_values({0.5f});
  EXPECT_EQ(one.low, 0.5);
  EXPECT_EQ(one.high, 0.5);
  EXPECT_EQ(one.num_outliers, 0);
  EXPECT_TRUE(one.sample.empty());
}

// A quartile lies between values; the whisker does not end inside the box.
TEST(BoxTails, AWhiskerEndsAtTheBoxAtLeast) {
  const BoxTails tails = tails_of_values({0, 0, 0, 100});
  EXPECT_EQ(tails.high, 25);
  EXPECT_EQ(tails.num_outliers, 1);
}

TEST(BoxTails, AgreesWithThePlainDefinition) {
  std::mt19937 random(3);
  std::vector<float> values;
  for (int i = 0; i < 300; ++i) {
    const auto u = static_cast<float>(random() % 1000) / 1000;
    values.push_back(u * u * u);
    const FiveNumbers box = five_numbers(values);
    const BoxTails tails = box_tails(values, box, 1000);
    const double reach = 1.5 * (box.q3 - box.q1);
    std::vector<float> outside;
    for (const float v : values) {
      if (v < box.q1 - reach || v > box.q3 + reach) outside.push_back(v);
    }
    std::sort(outside.begin(), outside.end());
    EXPECT_EQ(tails.sample, outside);
    EXPECT_LE(tails.low, box.q1);
    EXPECT_GE(tails.high, box.q3);
    EXPECT_GE(tails.low, box.q1 - reach);
    EXPECT_LE(tails.high, box.q3 + reach);
  }
}

TEST(BoxTails, KeepsAnEvenSampleWithBothEnds) {
  std::vector<float> values(2000, 0.0f);
  for (size_t i = 1; i <= 100; ++i) {
    values[7 * i] = static_cast<float>(i);
  }
  const BoxTails tails = tails_of_values(values, 5);
  EXPECT_EQ(tails.num_outliers, 100);
  EXPECT_EQ(tails.sample, (std::vector<float>{1, 25, 50, 75, 100}));
  EXPECT_EQ(tails_of_values(values, 1).sample, (std::vector<float>{1}));
  EXPECT_TRUE(tails_of_values(values, 0).sample.empty());
}

TEST(BoxTails, RefusesNoValuesAndThoseThatAreNotFinite) {
  EXPECT_TRUE(contains(error_of([] { box_tails({}, {}); }), "no values"));
  EXPECT_TRUE(contains(error_of([] {
                         box_tails({1, NAN}, {1, 1, 1, 1, 1});
                       }),
                       "value 1"));
}

}  // namespace
}  // namespace ordered_gnn::core
