#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

template <typename T>
struct NormForward {
  const T* x = nullptr;       // [N, dim]
  const T* weight = nullptr;  // [dim]
  const T* bias = nullptr;    // [dim]
  T* out = nullptr;           // [N, dim]
  T* mean = nullptr;          // [N]
  T* rstd = nullptr;          // [N]: 1 / sqrt(variance + eps)
  int64_t dim = 0;
  double eps = 0;
  bool relu = false;  // max(x, 0) is what is normalised
};

template <typename T>
struct NormBackward {
  const T* grad = nullptr;  // may be grad_x
  const T* x = nullptr;
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* weight = nullptr;
  T* grad_x = nullptr;
  int64_t dim = 0;
  bool relu = false;
};

ORDERED_GNN_SIMD_DECLARE(
    template <typename T>
    void norm_forward(const NormForward<T>& job, int64_t begin, int64_t end);
    /// Only the rows, from mean and rstd computed before.
    template <typename T>
    void norm_again(const NormForward<T>& job, int64_t begin, int64_t end);
    /// Adds the rows' shares to grad_weight and grad_bias, [dim] each.
    template <typename T>
    void norm_backward(const NormBackward<T>& job, int64_t begin, int64_t end,
                       T* grad_weight, T* grad_bias);
    /// out[d] += sum of x[v][d] over the rows.
    template <typename T>
    void add_column_sums(const T* x, int64_t dim, int64_t begin, int64_t end,
                         T* out);)

}  // namespace ordered_gnn::kernels
