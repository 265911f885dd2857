#include "lab/runs/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

TEST(Describe, GivesMeanDeviationAndStandardError) {
  const Statistics some = describe({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(some.count, 8);
  EXPECT_DOUBLE_EQ(some.mean, 5);
  EXPECT_DOUBLE_EQ(some.deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(some.standard_error, std::sqrt(32.0 / 7 / 8));
}

TEST(Describe, SaysWhatOneValueAndNoneAllowToSay) {
  const Statistics one = describe({3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_EQ(one.deviation, 0);
  EXPECT_TRUE(std::isnan(one.standard_error));
  EXPECT_TRUE(std::isnan(describe({}).mean));
}

TEST(Student, AgreesWithTables) {
  // Two-sided 5 % and 1 % points.
  EXPECT_NEAR(student_two_sided(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(student_two_sided(2.262157, 9), 0.05, 1e-6);
  EXPECT_NEAR(student_two_sided(-3.249836, 9), 0.01, 1e-6);
  EXPECT_NEAR(student_two_sided(2.045230, 29), 0.05, 1e-6);
  EXPECT_NEAR(student_two_sided(1.959964, 1000000), 0.05, 1e-6);
  // With one degree of freedom it is 1 - 2 atan(t) / pi.
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(student_two_sided(0.3, 1), 1 - 2 * std::atan(0.3) / pi, 1e-12);
  EXPECT_DOUBLE_EQ(student_two_sided(0, 5), 1);
  EXPECT_EQ(student_two_sided(INFINITY, 5), 0);
}

TEST(ComparePaired, LooksAtDifferencesOfPairs) {
  // Splits differ by tens, the systems by one point: pairs show it.
  const std::vector<double> b = {50, 60, 70, 80, 90};
  const std::vector<double> a = {51.1, 60.9, 71.2, 80.8, 91.0};
  const PairedComparison result = compare_paired(a, b);
  EXPECT_NEAR(result.difference.mean, 1.0, 1e-12);
  EXPECT_NEAR(result.t, 1.0 / result.difference.standard_error, 1e-9);
  EXPECT_LT(result.p_value, 0.001);
  EXPECT_FALSE(result.inside_noise);
  const PairedComparison other = compare_paired(b, a);
  EXPECT_DOUBLE_EQ(other.t, -result.t);
  EXPECT_DOUBLE_EQ(other.p_value, result.p_value);
}

TEST(ComparePaired, CallsASmallDifferenceNoise) {
  const PairedComparison result =
      compare_paired({80, 82, 78, 81}, {79, 83, 79, 79});
  EXPECT_TRUE(result.inside_noise);
  EXPECT_GT(result.p_value, 0.5);
}

TEST(ComparePaired, HandlesDifferencesThatAreAllAlike) {
  const PairedComparison same = compare_paired({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(same.t, 0);
  EXPECT_EQ(same.p_value, 1);
  EXPECT_TRUE(same.inside_noise);
  const PairedComparison shifted = compare_paired({2, 3, 4}, {1, 2, 3});
  EXPECT_EQ(shifted.p_value, 0);
  EXPECT_FALSE(shifted.inside_noise);
  EXPECT_TRUE(compare_paired({1}, {0}).inside_noise);
}

TEST(HolmAdjusted, CorrectsForTheNumberOfComparisons) {
  // By hand, in rising order: 4 x 0.01, 3 x 0.02, 2 x 0.03, and 0.04, which
  // may not be below the one before it.
  const std::vector<double> adjusted = holm_adjusted({0.04, 0.01, 0.03, 0.02});
  ASSERT_EQ(adjusted.size(), 4u);
  EXPECT_NEAR(adjusted[1], 0.04, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[0], 0.06, 1e-12);
  EXPECT_EQ(holm_adjusted({0.2}), std::vector<double>{0.2});
  EXPECT_EQ(holm_adjusted({0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_EQ(holm_adjusted({NAN, 0.01}), (std::vector<double>{1, 0.02}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(ComparePaired, RefusesRunsWithoutPartner) {
  EXPECT_NE(error_of([] {
              compare_paired({1, 2}, {1});
            }).find("2 and 1 runs"),
            std::string::npos);
}

}  // namespace
}  // namespace ordered_gnn::lab
