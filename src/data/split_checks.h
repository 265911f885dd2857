#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

/// A part as a file lists it: node ids in any order.
struct PartIds {
  std::string name;  ///< in the file
  std::vector<int64_t> nodes;
};

/// The split of train, val and test as lists of ids.
/// @throws Error "PLACE: 'NAME': why" for an id outside [0, N) or a node that
///         is there twice, in one part or in two.
Split split_of_ids(const std::array<PartIds, 3>& parts, int64_t num_nodes,
                   const std::string& place);

/// A part as a file marks it: [S, N] or for one split [N], values as in
/// nodes_of_mask().
struct PartMasks {
  std::string name;  ///< in the file
  at::Tensor masks;
};

/// The splits of train, val and test as masks.
/// @throws Error naming the file and the part for shapes that do not fit the
///         nodes or each other; parts may overlap and be empty.
std::vector<Split> splits_of_masks(std::array<PartMasks, 3> parts,
                                   int64_t num_nodes, const std::string& file);

/// @throws Error naming the first part without a node, or when there is no
///         split at all.
void require_full_parts(const std::vector<Split>& splits,
                        const std::string& place);

}  // namespace ordered_gnn::data
