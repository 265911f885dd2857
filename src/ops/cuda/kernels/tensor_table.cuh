#pragma once
#include <cstdint>

#include "ops/cuda/kernels/launch.h"

// One launch for many tensors: a table with `tensor[]` and `count` travels as a
// kernel argument, and a block owns a run of `size` of one tensor.
namespace ordered_gnn::cuda {

/// Gives every tensor its first block, for runs of `run`; returns how many
/// blocks there are.
template <typename Table>
int64_t number_blocks(Table& table, int64_t run) {
  int64_t blocks = 0;
  for (int i = 0; i < table.count; ++i) {
    table.tensor[i].first_block = static_cast<int>(blocks);
    blocks += divided_up(table.tensor[i].size, run);
  }
  return blocks;
}

/// The tensor a block works on: the last whose first block is not after it, so
/// never one without elements.
template <typename Table>
__device__ __forceinline__ int tensor_of(const Table& table, int block) {
  int low = 0, high = table.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (table.tensor[middle].first_block <= block) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace ordered_gnn::cuda
