#pragma once
#include <ATen/core/Tensor.h>

#include "ops/detail/dropout.h"

namespace ordered_gnn::cuda {

/// Dropout of rows whose nodes the step tells, see DropoutStep.
/// @param x    [N, ...], contiguous.
/// @param out  like x; may be x.
void drop_rows(const detail::Dropout& dropout, const at::Tensor& x,
               const at::Tensor& out);

/// Whether the step tells nodes, so that drop_rows() has to come after or
/// before a kernel that counts rows.
bool tells_nodes(const detail::Dropout& dropout);

}  // namespace ordered_gnn::cuda
