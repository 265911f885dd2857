#include "lab/runs/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_TRUE(std::isnan(describe(std::vector<double>{}).mean));
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

// A run per score, each on a split of its own.
std::vector<RunScore> on_splits(const std::vector<double>& scores) {
  std::vector<RunScore> runs;
  for (const double score : scores) {
    runs.push_back({static_cast<int64_t>(runs.size()), 42, score});
  }
  return runs;
}

PairedComparison compare_splits(const std::vector<double>& a,
                                const std::vector<double>& b) {
  return compare_runs(on_splits(a), on_splits(b));
}

TEST(DescribeRuns, AveragesSeedsWithinASplitFirst) {
  // Split 0 has 1 and 3, split 1 has 5 and 9: 2 and 7 are what is counted.
  const std::vector<RunScore> runs = {
      {0, 42, 1}, {1, 42, 5}, {0, 43, 3}, {1, 43, 9}};
  EXPECT_EQ(separate_scores(runs), (std::vector<double>{2, 7}));
  const Statistics some = describe_runs(runs);
  EXPECT_EQ(some.count, 2);
  EXPECT_DOUBLE_EQ(some.mean, 4.5);
  EXPECT_DOUBLE_EQ(some.deviation, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(some.standard_error, 2.5);
}

TEST(DescribeRuns, EverySplitCountsTheSame) {
  const Statistics some = describe_runs({{0, 42, 1}, {0, 43, 1}, {1, 42, 4}});
  EXPECT_DOUBLE_EQ(some.mean, 2.5);
}

TEST(DescribeRuns, SeedsOfOneSplitAreCountedOneByOne) {
  const Statistics some = describe_runs({{3, 42, 1}, {3, 43, 2}, {3, 44, 6}});
  EXPECT_EQ(some.count, 3);
  EXPECT_DOUBLE_EQ(some.mean, 3);
  EXPECT_DOUBLE_EQ(some.standard_error, std::sqrt(7.0 / 3));
  EXPECT_EQ(describe_runs({}).count, 0);
  EXPECT_TRUE(std::isnan(describe_runs({}).mean));
}

TEST(CompareRuns, SeedsOfASplitAreOnePair) {
  const std::vector<RunScore> b = {
      {0, 42, 50}, {0, 43, 54}, {1, 42, 70}, {1, 43, 70}};
  std::vector<RunScore> a = {
      {1, 43, 75}, {0, 42, 51}, {0, 43, 56}, {1, 42, 72}};
  const PairedComparison result = compare_runs(a, b);
  // Differences 1 and 2 on split 0, 2 and 5 on split 1.
  EXPECT_EQ(result.difference.count, 2);
  EXPECT_DOUBLE_EQ(result.difference.mean, 2.5);
  EXPECT_DOUBLE_EQ(result.difference.standard_error, 1);
  EXPECT_DOUBLE_EQ(result.t, 2.5);
  EXPECT_DOUBLE_EQ(result.p_value, student_two_sided(2.5, 1));
  // Without a partner nothing counts.
  a.push_back({2, 42, 100});
  EXPECT_DOUBLE_EQ(compare_runs(a, b).difference.mean, 2.5);
  EXPECT_EQ(compare_runs({{5, 42, 1}}, b).difference.count, 0);
}

TEST(CompareRuns, SeedsOfOneSplitArePairs) {
  const PairedComparison result =
      compare_runs({{0, 42, 2}, {0, 43, 3}}, {{0, 42, 1}, {0, 43, 1}});
  EXPECT_EQ(result.difference.count, 2);
  EXPECT_DOUBLE_EQ(result.difference.mean, 1.5);
}

TEST(CompareRuns, LooksAtDifferencesOfPairs) {
  // Splits differ by tens, the systems by one point: pairs show it.
  const std::vector<double> b = {50, 60, 70, 80, 90};
  const std::vector<double> a = {51.1, 60.9, 71.2, 80.8, 91.0};
  const PairedComparison result = compare_splits(a, b);
  EXPECT_NEAR(result.difference.mean, 1.0, 1e-12);
  EXPECT_NEAR(result.t, 1.0 / result.difference.standard_error, 1e-9);
  EXPECT_LT(result.p_value, 0.001);
  EXPECT_FALSE(result.inside_noise);
  const PairedComparison other = compare_splits(b, a);
  EXPECT_DOUBLE_EQ(other.t, -result.t);
  EXPECT_DOUBLE_EQ(other.p_value, result.p_value);
}

TEST(CompareRuns, CallsASmallDifferenceNoise) {
  const PairedComparison result =
      compare_splits({80, 82, 78, 81}, {79, 83, 79, 79});
  EXPECT_TRUE(result.inside_noise);
  EXPECT_GT(result.p_value, 0.5);
}

TEST(CompareRuns, HandlesDifferencesThatAreAllAlike) {
  const PairedComparison same = compare_splits({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(same.t, 0);
  EXPECT_EQ(same.p_value, 1);
  EXPECT_TRUE(same.inside_noise);
  const PairedComparison shifted = compare_splits({2, 3, 4}, {1, 2, 3});
  EXPECT_EQ(shifted.p_value, 0);
  EXPECT_FALSE(shifted.inside_noise);
  EXPECT_TRUE(compare_splits({1}, {0}).inside_noise);
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

}  // namespace
}  // namespace ordered_gnn::lab
