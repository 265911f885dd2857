#include "ops/cpu/blocks.h"

#include <algorithm>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kMaxChunks = 16;

}  // namespace

std::vector<int64_t> balanced_blocks(const int64_t* rowptr, int64_t num_rows,
                                     const BlockCost& cost) {
  const int64_t total = rowptr[num_rows] + cost.row * num_rows;
  const int64_t num_blocks = std::max<int64_t>(1, total / cost.block);
  std::vector<int64_t> bounds = {0};
  for (int64_t block = 1; block < num_blocks; ++block) {
    const int64_t target = total / num_blocks * block;
    // First row whose predecessors cost at least the target.
    int64_t low = bounds.back();
    int64_t high = num_rows;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (rowptr[middle] + cost.row * middle < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > bounds.back()) bounds.push_back(low);
  }
  if (bounds.back() < num_rows) bounds.push_back(num_rows);
  return bounds;
}

int64_t chunk_rows(int64_t rows) {
  const int64_t even = (rows + kMaxChunks - 1) / kMaxChunks;
  return std::max<int64_t>(1024, even);
}

std::vector<int64_t> chunk_bounds(const int64_t* rowptr, int64_t num_rows,
                                  int64_t row_cost) {
  if (num_rows == 0) return {0};
  const int64_t size = chunk_rows(num_rows);
  const int64_t chunks = (num_rows + size - 1) / size;
  const int64_t total = rowptr[num_rows] + row_cost * num_rows;
  return balanced_blocks(rowptr, num_rows, {total / chunks, row_cost});
}

void parallel_rows(const int64_t* rowptr, int64_t num_rows,
                   const std::function<void(int64_t, int64_t)>& body,
                   const BlockCost& cost) {
  if (num_rows == 0) return;
  const std::vector<int64_t> bounds = balanced_blocks(rowptr, num_rows, cost);
  parallel_blocks(static_cast<int64_t>(bounds.size()) - 1, [&](int64_t block) {
    body(bounds[block], bounds[block + 1]);
  });
}

}  // namespace ordered_gnn::cpu
