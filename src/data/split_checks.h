#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

struct SplitPart {
  const char* name;
  const at::Tensor* nodes;
};

/// train, val, test; the pointers are into `split`.
std::array<SplitPart, 3> parts_of(const Split& split);

/// Checks that parts are rising int64 indices in [0, N) and disjoint.
/// @param place  what errors call the split.
void check_split(const Split& split, int64_t num_nodes,
                 const std::string& place);

/// The nodes whose mask is set.
/// @param mask   [N] or [N, 1], bool or an integer type holding 0 and 1.
/// @param place  what errors call the mask, file included.
at::Tensor nodes_of_mask(const at::Tensor& mask, int64_t num_nodes,
                         const std::string& place);

}  // namespace ordered_gnn::data
