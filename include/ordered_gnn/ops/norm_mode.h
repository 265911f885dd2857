#pragma once

namespace ordered_gnn {

/// Where a norm takes mean and variance from, by the numbers that registered
/// ops take. Free of ATen: kernels of all devices include it.
enum class NormMode : int {
  layer = 0,  ///< from the row itself
  batch = 1,  ///< from a column of all rows, with the biased variance
  none = 2,   ///< no norm: rows stay as they are
  fixed = 3,  ///< from the running statistics, as batch norm does outside
              ///< training
};

}  // namespace ordered_gnn
