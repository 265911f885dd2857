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

// From the smallest to the largest.
std::vector<double> numbers_of(const FiveNumbers& box) {
  return {box.min, box.q1, box.median, box.q3, box.max};
}

TEST(FiveNumbers, AgreesWithNumpyOnFourValues) {
  // numpy.percentile([1, 2, 4, 8], [0, 25, 50, 75, 100])
  EXPECT_EQ(numbers_of(five_numbers({8, 1, 4, 2})),
            (std::vector<double>{1, 1.75, 3, 5, 8}));
}

TEST(FiveNumbers, AgreesWithSortingForEveryLength) {
  std::mt19937 random(7);
  std::vector<float> values;
  for (size_t size = 1; size < 70; ++size) {
    // Few different values, so that many are equal.
    values.push_back(static_cast<float>(random() % 23) / 7);
    const std::vector<double> box = numbers_of(five_numbers(values));
    EXPECT_DOUBLE_EQ(box.front(), plain_quantile(values, 0));
    EXPECT_DOUBLE_EQ(box.back(), plain_quantile(values, 1));
    for (const size_t quarter : {1, 2, 3}) {
      EXPECT_NEAR(box[quarter],
                  plain_quantile(values, 0.25 * static_cast<double>(quarter)),
                  1e-12)
          << size;
    }
  }
}

TEST(FiveNumbers, OneValueIsAllOfThem) {
  EXPECT_EQ(numbers_of(five_numbers({0.5f})), std::vector<double>(5, 0.5));
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
