#pragma once
#include <cstdint>

#include "ordered_gnn/core/features.h"

namespace ordered_gnn::data {

/// Makes the columns of every row rise, adding up entries of the same place.
/// Rows that are in order already, as nearly all files have them, share the
/// memory of what was given.
///
/// @param rows  rowptr rises from 0 to the number of entries; contiguous.
/// @return      how many entries were added to another one.
int64_t sort_sparse_rows(SparseRows& rows);

}  // namespace ordered_gnn::data
