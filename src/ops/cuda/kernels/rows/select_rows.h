#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// out[i] = rows[index[i]] for rows of `row_bytes` bytes, zeros where the index
/// is negative. Instantiated for indices of 32 and 64 bits.
template <typename Index>
struct SelectRows {
  const void* rows = nullptr;
  const Index* index = nullptr;  // [count]
  void* out = nullptr;           // [count, row_bytes]
  int64_t count = 0;
  int64_t row_bytes = 0;  // a multiple of 2
};

template <typename Index>
cudaError_t launch_select_rows(const SelectRows<Index>& job,
                               cudaStream_t stream);

}  // namespace ordered_gnn::cuda
