// Work split: rows; sums over rows go to a buffer of the caller's block.
// Memory: one read and one write of a row, statistics from a row in cache.
// Determinism: fixed order inside a row and inside a block.
#include "ops/cpu/kernels/norm_kernel.h"

#include <cmath>

#include "ops/cpu/kernels/vector.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// Sums of f(vector of x) over a row, in a fixed order.
template <typename T, typename F>
inline T row_sum_of(const T* x, int64_t dim, const F& f) {
  constexpr int kWidth = kVectorWidth<T>;
  // Two sums at a time: one alone would wait for each addition.
  Vector<T> even = {}, odd = {};
  int64_t d = 0;
  for (; d + 2 * kWidth <= dim; d += 2 * kWidth) {
    even += f(load(x + d));
    odd += f(load(x + d + kWidth));
  }
  for (; d + kWidth <= dim; d += kWidth) even += f(load(x + d));
  T total = sum_of<T>(even + odd);
  for (; d < dim; ++d) total += f(x[d]);
  return total;
}

}  // namespace

namespace {

// x, or what is positive of it; for numbers and vectors alike.
template <bool kRelu, typename A>
inline A input_of(const A& x) {
  if constexpr (kRelu) {
    return x < 0 ? A{} : x;  // NaN stays
  } else {
    return x;
  }
}

// One row, whose mean and rstd are known.
template <bool kRelu, typename T>
inline void normalize_row(const NormForward<T>& job, int64_t v, T mean,
                          T rstd) {
  const T* const weight = job.weight;
  const T* const bias = job.bias;
  const T* const x = job.x + v * job.dim;
  T* const out = job.out + v * job.dim;
#pragma GCC ivdep
  for (int64_t d = 0; d < job.dim; ++d) {
    out[d] = (input_of<kRelu>(x[d]) - mean) * rstd * weight[d] + bias[d];
  }
}

template <bool kRelu, typename T>
void normalize_rows(const NormForward<T>& job, int64_t begin, int64_t end) {
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  for (int64_t v = begin; v < end; ++v) {
    const T* const x = job.x + v * job.dim;
    const T mean =
        row_sum_of(x, job.dim,
                   [](const auto& a) { return input_of<kRelu>(a); }) *
        inverse_dim;
    const T variance = row_sum_of(x, job.dim,
                                  [mean](const auto& a) {
                                    const auto b = input_of<kRelu>(a) - mean;
                                    return b * b;
                                  }) *
                       inverse_dim;
    const T rstd = T(1) / std::sqrt(variance + static_cast<T>(job.eps));
    job.mean[v] = mean;
    job.rstd[v] = rstd;
    normalize_row<kRelu>(job, v, mean, rstd);
  }
}

// Means over a row of the scaled gradient and of its product with the
// normalised input.
template <typename T>
struct RowMoments {
  T gradient;
  T correlation;
};

template <bool kRelu, typename T>
inline RowMoments<T> row_moments(const NormBackward<T>& job, int64_t v) {
  constexpr int kWidth = kVectorWidth<T>;
  const T* const grad = job.grad + v * job.dim;
  const T* const x = job.x + v * job.dim;
  const T mean = job.mean[v], rstd = job.rstd[v];
  Vector<T> sums = {}, products = {};
  int64_t d = 0;
  for (; d + kWidth <= job.dim; d += kWidth) {
    const Vector<T> scaled = load(grad + d) * load(job.weight + d);
    sums += scaled;
    products += scaled * ((input_of<kRelu>(load(x + d)) - mean) * rstd);
  }
  T sum = sum_of<T>(sums), product = sum_of<T>(products);
  for (; d < job.dim; ++d) {
    const T scaled = grad[d] * job.weight[d];
    sum += scaled;
    product += scaled * ((input_of<kRelu>(x[d]) - mean) * rstd);
  }
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  return {sum * inverse_dim, product * inverse_dim};
}

template <bool kRelu, typename T>
void undo_rows(const NormBackward<T>& job, int64_t begin, int64_t end,
               T* grad_weight, T* grad_bias) {
  const T* const weight = job.weight;
  for (int64_t v = begin; v < end; ++v) {
    const T* const grad = job.grad + v * job.dim;
    const T* const x = job.x + v * job.dim;
    T* const grad_x = job.grad_x + v * job.dim;
    const T mean = job.mean[v], rstd = job.rstd[v];
    const RowMoments<T> moments = row_moments<kRelu>(job, v);
#pragma GCC ivdep
    for (int64_t d = 0; d < job.dim; ++d) {
      const T normalized = (input_of<kRelu>(x[d]) - mean) * rstd;
      const T g = grad[d];  // grad_x may be grad
      grad_weight[d] += g * normalized;
      grad_bias[d] += g;
      const T result = rstd * (g * weight[d] - moments.gradient -
                               normalized * moments.correlation);
      grad_x[d] = kRelu && x[d] <= T(0) ? T(0) : result;
    }
  }
}

}  // namespace

template <typename T>
void norm_forward(const NormForward<T>& job, int64_t begin, int64_t end) {
  if (job.relu) {
    normalize_rows<true>(job, begin, end);
  } else {
    normalize_rows<false>(job, begin, end);
  }
}

template <typename T>
void norm_again(const NormForward<T>& job, int64_t begin, int64_t end) {
  for (int64_t v = begin; v < end; ++v) {
    const T mean = job.mean[v], rstd = job.rstd[v];
    if (job.relu) {
      normalize_row<true>(job, v, mean, rstd);
    } else {
      normalize_row<false>(job, v, mean, rstd);
    }
  }
}

template <typename T>
void norm_backward(const NormBackward<T>& job, int64_t begin, int64_t end,
                   T* grad_weight, T* grad_bias) {
  if (job.relu) {
    undo_rows<true>(job, begin, end, grad_weight, grad_bias);
  } else {
    undo_rows<false>(job, begin, end, grad_weight, grad_bias);
  }
}

template <typename T>
void add_column_sums(const T* x, int64_t dim, int64_t begin, int64_t end,
                     T* out) {
  for (int64_t v = begin; v < end; ++v) {
#pragma GCC ivdep
    for (int64_t d = 0; d < dim; ++d) out[d] += x[v * dim + d];
  }
}

#define ORDERED_GNN_INSTANTIATE(T)                                          \
  template void norm_forward(const NormForward<T>&, int64_t, int64_t);      \
  template void norm_again(const NormForward<T>&, int64_t, int64_t);        \
  template void norm_backward(const NormBackward<T>&, int64_t, int64_t, T*, \
                              T*);                                          \
  template void add_column_sums(const T*, int64_t, int64_t, int64_t, T*);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
