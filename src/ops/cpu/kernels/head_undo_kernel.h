#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// The gradients of HeadSum (head_kernel.h) in one pass over the transposed
/// list, whose entry e of row v is the edge edge_of[e] from v to col[e]:
///
///   grad_weight[edge_of[e], i] = <h[v, i], grad[col[e], i]>
///   grad_h[v, i] = sum_e weight[edge_of[e], i] * grad[col[e], i]
template <typename T, typename Index>
struct HeadUndo {
  const int64_t* rowptr = nullptr;
  const Index* col = nullptr;
  const int64_t* edge_of = nullptr;
  const T* weight = nullptr;  // [edges, heads]
  const T* h = nullptr;
  const T* grad = nullptr;
  T* grad_weight = nullptr;  // [edges, heads]
  T* grad_h = nullptr;
  int64_t heads = 1;
  int64_t head_dim = 0;
};

ORDERED_GNN_SIMD_DECLARE(template <typename T, typename Index>
                         void head_undo(const HeadUndo<T, Index>& job,
                                        int64_t begin, int64_t end);)

}  // namespace ordered_gnn::kernels
