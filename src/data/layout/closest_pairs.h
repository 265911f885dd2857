#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ordered_gnn::data {

/// The `count` pairs of points in the plane that are closest to each other, all
/// pairs when there are no more. Of pairs at the largest distance taken those
/// of the first points are; distances are compared to a part in 10^12.
///
/// @param places  [N, 2] float64, finite.
/// @return        [2, count] int64, the smaller number of each pair first.
at::Tensor closest_pairs(const at::Tensor& places, int64_t count);

}  // namespace ordered_gnn::data
