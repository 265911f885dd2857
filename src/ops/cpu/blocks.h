#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace ordered_gnn::cpu {

/// Rows per task for kernels whose rows all cost the same.
constexpr int64_t kRowBlock = 256;

/// What a block may cost, and a row of it, in entries of the list.
struct BlockCost {
  int64_t block = 4096;
  int64_t row = 1;
};

/// What a row of ordered_layer() costs besides its gather, in entries.
constexpr int64_t kLayerRowCost = 32;
/// The same of candidate_layer(), whose products are five times as large.
constexpr int64_t kCandidateRowCost = 160;

/// Bounds of row blocks that cost about the same, so that hubs do not stall a
/// thread: block b is rows [bounds[b], bounds[b + 1]). They depend on the list
/// and the cost alone.
std::vector<int64_t> balanced_blocks(const int64_t* rowptr, int64_t num_rows,
                                     const BlockCost& cost = {});

/// Rows of one partial sum where gradients of parameters are added up over all
/// rows: at most 16 sums, set by the number of rows alone.
int64_t chunk_rows(int64_t rows);

/// Bounds of chunks of rows that cost about the same, as many as chunk_rows()
/// makes of them; {0} without rows. A row costs `row_cost` entries besides its
/// own.
std::vector<int64_t> chunk_bounds(const int64_t* rowptr, int64_t num_rows,
                                  int64_t row_cost);

/// Calls body(begin, end) for every balanced block, in parallel.
void parallel_rows(const int64_t* rowptr, int64_t num_rows,
                   const std::function<void(int64_t, int64_t)>& body,
                   const BlockCost& cost = {});

}  // namespace ordered_gnn::cpu
