#pragma once
#include <cmath>

namespace ordered_gnn::data {

/// sign(x) log(1 + |x|), the scale of long-tailed columns.
inline double signed_log(double x) {
  return std::copysign(std::log1p(std::abs(x)), x);
}

}  // namespace ordered_gnn::data
