#include "lab/report/scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

Scale scale_over(std::vector<double> values, PlotAxis axis = {},
                 AxisMargin margin = AxisMargin::to_ticks) {
  ValueRange range{axis.scale};
  for (const double value : values) range.add(value);
  return Scale(axis, range, margin, 6);
}

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> out;
  for (const Tick& tick : scale.ticks()) out.push_back(tick.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(Scale, ReachesToRoundTicks) {
  const Scale scale = scale_over({52.8, 86.3});
  EXPECT_EQ(labels(scale), (Labels{"50", "60", "70", "80", "90"}));
  EXPECT_DOUBLE_EQ(scale.low(), 50);
  EXPECT_DOUBLE_EQ(scale.high(), 90);
  EXPECT_EQ(labels(scale_over({0, 1})),
            (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(scale_over({-1, 0.9})),
            (Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
}

TEST(Scale, HasNoTicksBetweenWholeNumbersWhereThereIsNothing) {
  PlotAxis axis;
  axis.whole = true;
  for (const double high : {2.0, 3.0, 12.0, 60.0}) {
    ValueRange values;
    values.add(1);
    values.add(high);
    const Scale scale(axis, values, AxisMargin::small, 6);
    EXPECT_GE(scale.ticks().size(), 2u);
    for (const Tick& tick : scale.ticks()) {
      EXPECT_EQ(tick.value, std::round(tick.value));
      EXPECT_EQ(tick.label.find('.'), std::string::npos) << tick.label;
    }
  }
}

TEST(Scale, PutsEndsOnTheirPixels) {
  Scale scale = scale_over({}, {"", AxisScale::linear, 10, 20});
  scale.place(300, 100);
  EXPECT_DOUBLE_EQ(scale.at(10), 300);
  EXPECT_DOUBLE_EQ(scale.at(20), 100);
  EXPECT_DOUBLE_EQ(scale.at(15), 200);
  EXPECT_DOUBLE_EQ(scale.at(25), 0);
  EXPECT_DOUBLE_EQ(scale.clamped(25), 100);
  EXPECT_TRUE(scale.contains(20));
  EXPECT_FALSE(scale.contains(20.1));
  EXPECT_FALSE(scale.contains(NAN));
}

TEST(Scale, HasTicksAtPowers) {
  EXPECT_EQ(labels(scale_over({2, 64}, {"", AxisScale::log2})),
            (Labels{"2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(labels(scale_over({1e-6, 1e-2}, {"", AxisScale::log10})),
            (Labels{"1e−6", "1e−5", "0.0001", "0.001", "0.01"}));
  Scale scale = scale_over({2, 8}, {"", AxisScale::log2, 2, 8});
  scale.place(0, 100);
  EXPECT_NEAR(scale.at(4), 50, 1e-9);
  EXPECT_FALSE(scale.contains(0));
  EXPECT_FALSE(scale.contains(-1));
}

TEST(Scale, HasTicksWithinAPower) {
  const Scale scale = scale_over({0.011, 0.019}, {"", AxisScale::log10});
  EXPECT_GE(scale.ticks().size(), 2u);
  for (const Tick& tick : scale.ticks())
    EXPECT_TRUE(scale.contains(tick.value));
}

TEST(Scale, HasALengthForEveryInput) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> inputs = {{},
                                                   {5},
                                                   {0, 0},
                                                   {-3},
                                                   {1e100},
                                                   {1e-100},
                                                   {-1e99, 1e99},
                                                   {1e9, 1e9 + 1},
                                                   {1, 1 + 1e-15},
                                                   {NAN},
                                                   {kInfinity, 2},
                                                   {1e300, -1e300},
                                                   {5e-324, 1e-320}};
  for (const AxisScale kind :
       {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
    for (const AxisMargin margin : {AxisMargin::to_ticks, AxisMargin::small}) {
      for (const std::vector<double>& values : inputs) {
        Scale scale = scale_over(values, {"", kind}, margin);
        scale.place(0, 100);
        EXPECT_LT(scale.low(), scale.high());
        EXPECT_LE(scale.ticks().size(), 12u);
        for (const double value : values) {
          if (!is_shown(value, kind)) continue;
          EXPECT_GE(scale.at(value), -1e-6);
          EXPECT_LE(scale.at(value), 100 + 1e-6);
        }
      }
    }
  }
}

TEST(Scale, TellsCloseTicksApart) {
  const Labels all = labels(scale_over({1e9, 1e9 + 1}));
  for (size_t i = 1; i < all.size(); ++i) EXPECT_NE(all[i - 1], all[i]);
  EXPECT_EQ(labels(scale_over({0, 2.5e-5})).at(1), "5e-06");
}

TEST(Scale, KeepsAGivenEndBeyondTheValues) {
  const Scale above = scale_over({1, 3}, {"", AxisScale::linear, 5});
  EXPECT_DOUBLE_EQ(above.low(), 5);
  EXPECT_GT(above.high(), 5);
  const Scale below = scale_over({1, 3}, {"", AxisScale::linear, NAN, 0});
  EXPECT_DOUBLE_EQ(below.high(), 0);
  EXPECT_LT(below.low(), 0);
}

TEST(Scale, RefusesRangesThatCannotBe) {
  const auto error = [](const PlotAxis& axis) {
    return error_of([&] { scale_over({1, 2}, axis); });
  };
  EXPECT_TRUE(contains(error({"", AxisScale::linear, 2, 1}), "from 2 to 1"));
  EXPECT_TRUE(contains(error({"", AxisScale::linear, 1, 1}), "from 1 to 1"));
  EXPECT_TRUE(contains(error({"", AxisScale::log2, 0, 8}), "logarithmic"));
  EXPECT_TRUE(contains(error({"", AxisScale::linear, -INFINITY, 8}), "-inf"));
  EXPECT_TRUE(
      contains(error({"", AxisScale::linear, 1, 1 + 1e-15}), "too close"));
}

}  // namespace
}  // namespace ordered_gnn::lab
