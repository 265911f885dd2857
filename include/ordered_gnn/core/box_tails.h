#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/five_numbers.h"

namespace ordered_gnn {

/// Ends of the whiskers of a box plot, and what lies beyond them.
struct BoxTails {
  double low = 0;             ///< end of the lower whisker
  double high = 0;            ///< end of the upper whisker
  int64_t num_outliers = 0;   ///< values below `low` or above `high`
  std::vector<float> sample;  ///< of the outliers, in rising order
};

/// Tukey's whiskers, as matplotlib and the paper's figures draw them: the
/// smallest and largest value within 1.5 (q3 - q1) of the box; a quartile where
/// no value lies between it and that fence. Every value outside is an outlier.
///
/// The sample has all outliers, or `most` of them at even places in their order
/// when there are more, the smallest and the largest among them.
/// @param numbers  five_numbers() of the same values.
/// @throws Error without values, or when one is not finite.
BoxTails box_tails(const std::vector<float>& values, const FiveNumbers& numbers,
                   size_t most = 20);

}  // namespace ordered_gnn
