#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// dot[e] = <grad[v], h[col[e]]> for the entries e of row v.
template <typename T, typename Index>
struct EdgeDot {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* grad = nullptr;  // [rows, dim]
  const T* h = nullptr;     // [*, dim]
  T* dot = nullptr;         // [entries]
  int64_t rows = 0;
  int dim = 0;
};

template <typename T, typename Index>
cudaError_t launch_edge_dot(const EdgeDot<T, Index>& job, cudaStream_t stream);

/// out[e] = softmax of score over the entries of e's row.
template <typename T>
cudaError_t launch_edge_softmax(const int64_t* rowptr, int64_t rows,
                                const T* score, T* out, cudaStream_t stream);

template <typename T>
cudaError_t launch_edge_softmax_backward(const int64_t* rowptr, int64_t rows,
                                         const T* out, const T* grad,
                                         T* grad_score, cudaStream_t stream);

/// Maxima over the gathered rows, and who holds each; see ops/max_aggregate.h.
template <typename T, typename Index>
struct RowMax {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* h = nullptr;
  T* out = nullptr;         // [rows, dim]
  Index* winner = nullptr;  // [rows, dim], -1 for none
  int64_t rows = 0;
  int dim = 0;
};

template <typename T, typename Index>
cudaError_t launch_row_max(const RowMax<T, Index>& job, cudaStream_t stream);

/// Hands the gradient back to the winners, over the transposed list.
template <typename T, typename Index>
struct RowMaxBackward {
  const int64_t* t_rowptr = nullptr;
  const Index* t_col = nullptr;
  const Index* winner = nullptr;  // [rows, dim]
  const T* grad = nullptr;        // [rows, dim]
  T* out = nullptr;               // [rows, dim]
  int64_t rows = 0;
  int dim = 0;
};

template <typename T, typename Index>
cudaError_t launch_row_max_backward(const RowMaxBackward<T, Index>& job,
                                    cudaStream_t stream);

}  // namespace ordered_gnn::cuda
