#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// The sum over all parts of what each of them has, added in one fixed tree
/// over the parts: the bits do not depend on how many ranks share them. All
/// ranks call it.
/// @param bounds  first part of every rank, and the number of parts.
/// @param own     of the rank's parts, alike in type and shape; spent.
/// @return the sum on rank 0, undefined on others.
at::Tensor fold_parts(Group& group, const std::vector<int64_t>& bounds,
                      std::vector<at::Tensor> own);

}  // namespace ordered_gnn::scale
