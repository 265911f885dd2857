#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/cuda/kernels/storage.h"

namespace ordered_gnn::cuda {

/// Weighted sums of gathered rows over a compressed list:
///
///   out[v] = bias + before(v) + row_scale[v] * sum_e weight(e) * h[col[e]]
///   weight(e) = value(e) * col_scale[col[e]]
///
/// where before(v) is before[v], or before[before_of[v]] and zeros where that
/// is negative; value(e) is edge_weight[edge_of ? edge_of[e] : e], or the entry
/// e after dropout of the element row_of[v] * row_stride + col_of[col[e]] *
/// col_stride of the matrix the list stands for. Null pointers stand for ones
/// (scales, weights) and zeros (bias, before); a row without entries has a sum
/// of zero.
///
/// Instantiated for float, double and bfloat16 rows, and, with an int32 list,
/// for float to bfloat16 and back.
template <typename In, typename Out, typename Index>
struct RowSum {
  const int64_t* rowptr = nullptr;    // [rows + 1]
  const Index* col = nullptr;         // [entries]
  const double* row_scale = nullptr;  // [rows]
  const double* col_scale = nullptr;  // [h_rows]
  const Compute<In>* edge_weight = nullptr;
  const int64_t* edge_of = nullptr;
  // At most one of edge_weight and the two entries, [entries].
  const float* entry = nullptr;
  const __nv_bfloat16* entry_half = nullptr;
  DropoutMask mask;  // of the entries
  int64_t row_stride = 0;
  int64_t col_stride = 0;
  // The numbers by which dropout knows rows, [rows], and columns, [h_rows];
  // null: their own.
  const int64_t* row_of = nullptr;
  const int64_t* col_of = nullptr;
  const Compute<Out>* bias = nullptr;  // [dim]
  const In* h = nullptr;               // [h_rows, dim]
  const Out* before = nullptr;         // [rows, dim]; may be out without
                                       // before_of
  const int32_t* before_of = nullptr;  // [rows]
  Out* out = nullptr;                  // [rows, dim], contiguous; not h
  int64_t rows = 0;
  int64_t h_rows = 0;
  int64_t entries = 0;
  int dim = 0;
  int h_pitch = 0;       // elements from one row of h to the next; 0 means dim
  int before_pitch = 0;  // likewise
};

template <typename In, typename Out, typename Index>
cudaError_t launch_row_sum(const RowSum<In, Out, Index>& job,
                           cudaStream_t stream);

}  // namespace ordered_gnn::cuda
