#pragma once
#include "ops/cuda/kernels/rows/row_tile.cuh"

// What kernels that normalise rows share: a warp's statistics of a row, and
// what it does with them.
namespace ordered_gnn::cuda {

template <typename T>
struct RowStatistics {
  T mean;
  T rstd;  // 1 / sqrt(variance + eps)
};

/// Mean and deviation of a row whose spans load(base, x) gives, zeros past its
/// end. Leaves a row of one span in `x`.
template <int V, typename T, typename Load>
__device__ __forceinline__ RowStatistics<T> row_statistics(int dim, double eps,
                                                           T (&x)[kPerLane],
                                                           const Load& load) {
  const T inverse_dim = T(1) / static_cast<T>(dim);
  T sum = T(0);
  for (int base = 0; base < dim; base += kSpan) {
    load(base, x);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) sum += x[j];
  }
  const T mean = warp_sum(sum) * inverse_dim;
  T squares = T(0);
  for (int base = 0; base < dim; base += kSpan) {
    if (dim > kSpan) load(base, x);
    for_packs<V>(base, dim, [&](int j, int) {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        squares += (x[j + k] - mean) * (x[j + k] - mean);
      }
    });
  }
  const T variance = warp_sum(squares) * inverse_dim;
  return {mean, rsqrt_of(variance + static_cast<T>(eps))};
}

/// Weight and bias of a norm for the lane's columns of a row of one span, times
/// a scale that follows the norm.
template <int V, typename T>
struct LaneParameters {
  T weight[kPerLane];
  T bias[kPerLane];

  __device__ __forceinline__ LaneParameters(const T* weights, const T* biases,
                                            int dim, double factor) {
    load_tile<V>(weights, 0, dim, weight);
    load_tile<V>(biases, 0, dim, bias);
    const T scale = static_cast<T>(factor);
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      weight[j] *= scale;
      bias[j] *= scale;
    }
  }

  /// What of x[j] is kept, by bit j, normalised and scaled; zeros elsewhere.
  __device__ __forceinline__ void apply(const RowStatistics<T>& stats,
                                        uint32_t kept, const T (&x)[kPerLane],
                                        T (&y)[kPerLane]) const {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      const T value = (x[j] - stats.mean) * stats.rstd * weight[j] + bias[j];
      y[j] = (kept >> j & 1u) != 0 ? value : T(0);
    }
  }
};

}  // namespace ordered_gnn::cuda
