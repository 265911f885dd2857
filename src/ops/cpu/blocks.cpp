#include "ops/cpu/blocks.h"

#include <algorithm>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kEntriesPerBlock = 4096;

}  // namespace

std::vector<int64_t> balanced_blocks(const int64_t* rowptr, int64_t num_rows) {
  const int64_t total = rowptr[num_rows] + num_rows;
  const int64_t num_blocks = std::max<int64_t>(1, total / kEntriesPerBlock);
  std::vector<int64_t> bounds = {0};
  for (int64_t block = 1; block < num_blocks; ++block) {
    const int64_t target = total / num_blocks * block;
    // First row r with rowptr[r] + r >= target: a row counts as one entry more.
    int64_t low = bounds.back();
    int64_t high = num_rows;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (rowptr[middle] + middle < target) {
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

void parallel_rows(const int64_t* rowptr, int64_t num_rows,
                   const std::function<void(int64_t, int64_t)>& body) {
  if (num_rows == 0) return;
  const std::vector<int64_t> bounds = balanced_blocks(rowptr, num_rows);
  parallel_blocks(static_cast<int64_t>(bounds.size()) - 1, [&](int64_t block) {
    body(bounds[block], bounds[block + 1]);
  });
}

}  // namespace ordered_gnn::cpu
