#include "ordered_gnn/core/five_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

// Quantiles by the definition, on sorted values.
double plain_quantile(std::vector<float> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(std::floor(place));
  const size_t high = std::min(low + 1, values.size() - 1);
  const double part = place - std::floor(place);
  return (1 - part) * values[low] + part * values[high];
}

TEST(FiveNumbers, AgreesWithNumpyOnFourValues) {
  // numpy.percentile([1, 2, 4, 8], [0, 25, 50, 75, 100])
  const FiveNumbers box = five_numbers({8, 1, 4, 2});
  EXPECT_DOUBLE_EQ(box.min, 1);
  EXPECT_DOUBLE_EQ(box.q1, 1.75);
  EXPECT_DOUBLE_EQ(box.median, 3);
  EXPECT_DOUBLE_EQ(box.q3, 5);
  EXPECT_DOUBLE_EQ(box.max, 8);
}

TEST(FiveNumbers, AgreesWithSortingForEveryLength) {
  std::mt19937 random(7);
  std::vector<float> values;
  for (size_t size = 1; size < 70; ++size) {
    // Few different values, so that many are equal.
    values.push_back(static_cast<float>(random() % 23) / 7);
    const FiveNumbers box = five_numbers(values);
    EXPECT_DOUBLE_EQ(box.min, plain_quantile(values, 0));
    EXPECT_NEAR(box.q1, plain_quantile(values, 0.25), 1e-12) << size;
    EXPECT_NEAR(box.median, plain_quantile(values, 0.5), 1e-12) << size;
    EXPECT_NEAR(box.q3, plain_quantile(values, 0.75), 1e-12) << size;
    EXPECT_DOUBLE_EQ(box.max, plain_quantile(values, 1));
  }
}

TEST(FiveNumbers, OneValueIsAllOfThem) {
  const FiveNumbers box = five_numbers({0.5f});
  EXPECT_EQ(box.min, 0.5);
  EXPECT_EQ(box.q1, 0.5);
  EXPECT_EQ(box.median, 0.5);
  EXPECT_EQ(box.q3, 0.5);
  EXPECT_EQ(box.max, 0.5);
}

TEST(FiveNumbers, RefusesNoValuesAndThoseThatAreNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(contains(error_of([] { five_numbers({}); }), "no values"));
  EXPECT_TRUE(contains(error_of([] { five_numbers({1, NAN}); }), "value 1"));
  EXPECT_TRUE(contains(error_of([] {
                         five_numbers({-kInfinity, 2});
                       }),
                       "value 0"));
}

}  // namespace
}  // namespace ordered_gnn::core
