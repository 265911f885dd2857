#pragma once
#include <vector>

namespace ordered_gnn {

/// What a box of a box plot shows.
struct FiveNumbers {
  double min = 0;
  double q1 = 0;
  double median = 0;
  double q3 = 0;
  double max = 0;
};

/// Exact quantiles with linear interpolation, as numpy.percentile computes them
/// by default: quantile p of n sorted values is at place p (n - 1), and between
/// two values in proportion. Takes the vector because it reorders it.
/// @throws Error without values, or when one is not finite.
FiveNumbers five_numbers(std::vector<float> values);

}  // namespace ordered_gnn
