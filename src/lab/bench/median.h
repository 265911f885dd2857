#pragma once
#include <algorithm>
#include <vector>

namespace ordered_gnn::lab {

/// @param values  at least one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

}  // namespace ordered_gnn::lab
