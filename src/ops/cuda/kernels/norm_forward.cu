// Work split: a warp owns a row.
// Memory: a row is read once into registers and written once; weight and bias
// come from the L1 cache. Rows of more than 256 columns are read three times.
// Determinism: every row is summed in an order fixed by its width.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/layer_norm.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

template <int V, typename T>
__global__ void __launch_bounds__(kBlockThreads)
    norm_forward_kernel(const NormForward<T> job) {
  const int64_t v = static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  if (v >= job.rows) return;  // whole warps leave, and there are no barriers
  const T* const row = job.x + v * job.dim;
  const auto load = [&](int base, T(&x)[kPerLane]) {
    load_tile<V>(row, base, job.dim, x);
    if (!job.relu) return;
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) x[j] = x[j] < T(0) ? T(0) : x[j];
  };
  T x[kPerLane];
  const RowStatistics<T> stats = row_statistics<V>(job.dim, job.eps, x, load);
  if (lane_id() == 0) {
    job.mean[v] = stats.mean;
    job.rstd[v] = stats.rstd;
  }
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  T* const out = job.out + v * job.dim;
  for (int base = 0; base < job.dim; base += kSpan) {
    if (job.dim > kSpan) load(base, x);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T weight[V], bias[V], y[V];
      load_pack<V>(job.weight + column, weight);
      load_pack<V>(job.bias + column, bias);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        y[k] = (x[j + k] - stats.mean) * stats.rstd * weight[k] + bias[k];
      }
      if (job.mask.active) {
        drop_pack<V>(job.mask, counter_high,
                     static_cast<uint64_t>(v * job.dim + column), y);
      }
      store_pack<V>(out + column, y);
    });
  }
}

}  // namespace

template <typename T>
cudaError_t launch_norm_forward(const NormForward<T>& job,
                                cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  const bool wide = job.dim % kVector<T> == 0 &&
                    all_aligned(job.x, job.weight, job.bias, job.out);
  const auto kernel =
      wide ? norm_forward_kernel<kVector<T>, T> : norm_forward_kernel<1, T>;
  const auto blocks = static_cast<unsigned>(divided_up(job.rows, kBlockWarps));
  kernel<<<blocks, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_norm_forward(const NormForward<float>&,
                                         cudaStream_t);
template cudaError_t launch_norm_forward(const NormForward<double>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
