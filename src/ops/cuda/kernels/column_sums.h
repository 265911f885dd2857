#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// Partial sums that launch_column_sums() leaves for this many rows.
int64_t column_sum_blocks(int64_t rows);

/// partial[b] = the share of the rows that block b owns, [blocks, dim].
template <typename T>
cudaError_t launch_column_sums(const T* x, int64_t rows, int dim, T* partial,
                               cudaStream_t stream);

/// out[c] = sum over b of partial[b][c] in a fixed order; zeros for no blocks.
template <typename T>
cudaError_t launch_sum_partials(const T* partial, int64_t blocks,
                                int64_t columns, T* out, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
