#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/dropout_mask.h"

namespace ordered_gnn::cuda {

/// Weighted sums of gathered rows over a compressed list:
///
///   out[v] = bias (+ out[v]) + row_scale[v] * sum_e weight(e) * h[col[e]]
///   weight(e) = value(e) * col_scale[col[e]]
///
/// where value(e) is edge_weight[edge_of ? edge_of[e] : e], or entry[e] after
/// dropout of the element v * row_stride + col[e] * col_stride of the matrix
/// the list stands for. Null pointers stand for ones (scales, weights) and
/// zeros (bias); what is in out[v] counts with `accumulate` only.
template <typename T, typename Index>
struct RowSum {
  const int64_t* rowptr = nullptr;    // [rows + 1]
  const Index* col = nullptr;         // [entries]
  const double* row_scale = nullptr;  // [rows]
  const double* col_scale = nullptr;
  const T* edge_weight = nullptr;
  const int64_t* edge_of = nullptr;
  const float* entry = nullptr;  // [entries]; not together with edge_weight
  DropoutMask mask;              // of the entries
  int64_t row_stride = 0;
  int64_t col_stride = 0;
  const T* bias = nullptr;  // [dim]
  const T* h = nullptr;     // [*, dim]
  T* out = nullptr;         // [rows, dim]; not h
  int64_t rows = 0;
  int64_t entries = 0;
  int dim = 0;
  bool accumulate = false;
};

template <typename T, typename Index>
cudaError_t launch_row_sum(const RowSum<T, Index>& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
