#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// dot[e, i] = <grad[v, i], h[col[e], i]> for the entries e of row v and its
/// parts i, `heads` of them side by side.
template <typename T, typename Index>
struct EdgeDot {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* grad = nullptr;  // [rows, dim]
  const T* h = nullptr;     // [*, dim]
  T* dot = nullptr;         // [entries, heads]
  int64_t rows = 0;
  int dim = 0;
  int heads = 1;
};

template <typename T, typename Index>
cudaError_t launch_edge_dot(const EdgeDot<T, Index>& job, cudaStream_t stream);

/// out[v, i] = sum_e weight[edge_of ? edge_of[e] : e, i] * h[col[e], i].
template <typename T, typename Index>
struct HeadSum {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const T* weight = nullptr;  // [entries, heads]
  const int64_t* edge_of = nullptr;
  const T* h = nullptr;  // [*, dim]
  T* out = nullptr;      // [rows, dim]
  int64_t rows = 0;
  int dim = 0;
  int heads = 1;
};

template <typename T, typename Index>
cudaError_t launch_head_sum(const HeadSum<T, Index>& job, cudaStream_t stream);

/// Where the scores of rows are: [entries, heads].
struct ScoreRows {
  const int64_t* rowptr = nullptr;
  int64_t rows = 0;
  int heads = 1;
};

/// out[e, i] = softmax of score[., i] over the entries of e's row.
template <typename T>
cudaError_t launch_edge_softmax(const ScoreRows& list, const T* score, T* out,
                                cudaStream_t stream);

template <typename T>
cudaError_t launch_edge_softmax_backward(const ScoreRows& list, const T* out,
                                         const T* grad, T* grad_score,
                                         cudaStream_t stream);

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
