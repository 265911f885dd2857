#include "ordered_gnn/core/box_tails.h"

#include <algorithm>
#include <cmath>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

constexpr double kFence = 1.5;  // in heights of the box

// `most` of the sorted values at even places, both ends among them.
std::vector<float> thinned(std::vector<float> values, size_t most) {
  if (values.size() <= most) return values;
  std::vector<float> kept;
  for (size_t i = 0; i < most; ++i) {
    kept.push_back(most == 1 ? values.front()
                             : values[i * (values.size() - 1) / (most - 1)]);
  }
  return kept;
}

}  // namespace

BoxTails box_tails(const std::vector<float>& values, const FiveNumbers& numbers,
                   size_t most) {
  if (values.empty()) fail("there are no whiskers of no values");
  const double reach = kFence * (numbers.q3 - numbers.q1);
  const double least = numbers.q1 - reach, greatest = numbers.q3 + reach;
  BoxTails out;
  out.low = numbers.q1;
  out.high = numbers.q3;
  std::vector<float> outliers;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!std::isfinite(value)) {
      fail("whiskers need finite numbers, value {} is {}", i, value);
    }
    if (value < least || value > greatest) {
      outliers.push_back(values[i]);
    } else {
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
    }
  }
  out.num_outliers = static_cast<int64_t>(outliers.size());
  std::sort(outliers.begin(), outliers.end());
  out.sample = thinned(std::move(outliers), most);
  return out;
}

}  // namespace ordered_gnn
