#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Calls the registered op.
at::Tensor dropout(const at::Tensor& x, double p, int64_t seed, int64_t step,
                   int64_t site);
void check_dropout(double p);

}  // namespace ordered_gnn::detail
