#include "ordered_gnn/core/five_numbers.h"

#include <algorithm>
#include <cmath>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

// Values before `sorted_from` are known to be no larger than those after it, so
// that the quartiles of a long column cost a few passes and not a sort.
double next_quantile(std::vector<float>& values, size_t sorted_from,
                     double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto begin = values.begin() + static_cast<ptrdiff_t>(sorted_from);
  const auto low = values.begin() + static_cast<ptrdiff_t>(below);
  std::nth_element(begin, low, values.end());
  if (below + 1 == values.size()) return *low;
  const double first = *low, second = *std::min_element(low + 1, values.end());
  return first + (second - first) * (place - static_cast<double>(below));
}

}  // namespace

FiveNumbers five_numbers(std::vector<float> values) {
  if (values.empty()) fail("there are no quartiles of no values");
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail("quartiles need finite numbers, value {} is {}", i, values[i]);
    }
  }
  FiveNumbers out;
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  out.min = *min;
  out.max = *max;
  const size_t last = values.size() - 1;
  out.q1 = next_quantile(values, 0, 0.25);
  out.median = next_quantile(values, last / 4, 0.5);
  out.q3 = next_quantile(values, last / 2, 0.75);
  return out;
}

}  // namespace ordered_gnn
