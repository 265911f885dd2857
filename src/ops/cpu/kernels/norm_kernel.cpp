// Work split: rows; sums over rows go to a buffer of the caller's block.
// Memory: one read and one write of a row, statistics from a row in cache.
// Determinism: fixed order inside a row and inside a block.
#include "ops/cpu/kernels/norm_kernel.h"

#include <cmath>

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int kLanes = 16;

// Sum of f(d) over a row in a fixed number of interleaved partial sums, which
// the compiler keeps in vector registers.
template <typename T, typename F>
inline T lane_sum(int64_t dim, const F& f) {
  T lanes[kLanes] = {};
  int64_t d = 0;
  for (; d + kLanes <= dim; d += kLanes) {
    for (int i = 0; i < kLanes; ++i) lanes[i] += f(d + i);
  }
  T total = T(0);
  for (; d < dim; ++d) total += f(d);
  for (const T lane : lanes) total += lane;
  return total;
}

}  // namespace

template <typename T>
void norm_forward(const NormForward<T>& job, int64_t begin, int64_t end) {
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  for (int64_t v = begin; v < end; ++v) {
    const T* const x = job.x + v * job.dim;
    T* const out = job.out + v * job.dim;
    const T mean =
        lane_sum<T>(job.dim, [x](int64_t d) { return x[d]; }) * inverse_dim;
    const T variance = lane_sum<T>(job.dim,
                                   [x, mean](int64_t d) {
                                     return (x[d] - mean) * (x[d] - mean);
                                   }) *
                       inverse_dim;
    const T rstd = T(1) / std::sqrt(variance + static_cast<T>(job.eps));
    job.mean[v] = mean;
    job.rstd[v] = rstd;
    for (int64_t d = 0; d < job.dim; ++d) {
      out[d] = (x[d] - mean) * rstd * job.weight[d] + job.bias[d];
    }
  }
}

template <typename T>
void norm_backward(const NormBackward<T>& job, int64_t begin, int64_t end,
                   T* grad_weight, T* grad_bias) {
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  const T* const weight = job.weight;
  for (int64_t v = begin; v < end; ++v) {
    const T* const grad = job.grad + v * job.dim;
    const T* const x = job.x + v * job.dim;
    T* const grad_x = job.grad_x + v * job.dim;
    const T mean = job.mean[v];
    const T rstd = job.rstd[v];
    const T sum =
        lane_sum<T>(job.dim, [=](int64_t d) { return grad[d] * weight[d]; }) *
        inverse_dim;
    const T correlation =
        lane_sum<T>(job.dim,
                    [=](int64_t d) {
                      return grad[d] * weight[d] * ((x[d] - mean) * rstd);
                    }) *
        inverse_dim;
    for (int64_t d = 0; d < job.dim; ++d) {
      const T normalized = (x[d] - mean) * rstd;
      grad_x[d] = rstd * (grad[d] * weight[d] - sum - normalized * correlation);
      grad_weight[d] += grad[d] * normalized;
      grad_bias[d] += grad[d];
    }
  }
}

template <typename T>
void add_column_sums(const T* x, int64_t dim, int64_t begin, int64_t end,
                     T* out) {
  for (int64_t v = begin; v < end; ++v) {
    for (int64_t d = 0; d < dim; ++d) out[d] += x[v * dim + d];
  }
}

#define ORDERED_GNN_INSTANTIATE(T)                                          \
  template void norm_forward(const NormForward<T>&, int64_t, int64_t);      \
  template void norm_backward(const NormBackward<T>&, int64_t, int64_t, T*, \
                              T*);                                          \
  template void add_column_sums(const T*, int64_t, int64_t, int64_t, T*);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
