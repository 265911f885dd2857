#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace ordered_gnn::cpu {

/// Rows per task for kernels whose rows all cost the same.
constexpr int64_t kRowBlock = 256;

/// Bounds of row blocks that hold about the same number of entries, so that
/// hubs do not stall a thread: block b is rows [bounds[b], bounds[b + 1]).
/// They depend on the list alone, not on the number of threads.
std::vector<int64_t> balanced_blocks(const int64_t* rowptr, int64_t num_rows);

/// Calls body(begin, end) for every balanced block, in parallel.
void parallel_rows(const int64_t* rowptr, int64_t num_rows,
                   const std::function<void(int64_t, int64_t)>& body);

}  // namespace ordered_gnn::cpu
