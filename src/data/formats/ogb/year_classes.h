#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ordered_gnn::data {

/// Cuts the years into classes of about equal size: class = number of cuts at
/// or below the year, the cuts being the quantiles k / num_classes with linear
/// interpolation. Exact: no floating point is involved.
/// @param years        at least one, each within +- 10^12.
/// @param num_classes  1 to kMaxClasses.
/// @return             [N] int64.
at::Tensor classes_of_years(const std::vector<int64_t>& years,
                            int64_t num_classes);

}  // namespace ordered_gnn::data
