// Work split: a thread owns the eight elements of one Philox block; where rows
// are of nodes, a warp owns a row.
// Memory: one read and one write per element, 16 bytes at a time; the mask is
// never stored.
// Determinism: the mask is a function of the element's index alone.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/dropout.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int64_t kGroup = 8;

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    dropout_kernel(DropoutMask mask, const S* x, S* out, int64_t count) {
  using T = Compute<S>;
  const int64_t first =
      (static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * kGroup;
  if (first >= count) return;
  const int size =
      static_cast<int>(count - first < kGroup ? count - first : kGroup);
  T values[kGroup];
  if (V > 1 && size == kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; j += V) load_pack<V>(x + first + j, values + j);
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      values[j] = j < size ? to_compute(x[first + j]) : T(0);
    }
  }
  drop_pack<kGroup>(mask, counter_high_of(mask), static_cast<uint64_t>(first),
                    values);
  if (V > 1 && size == kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; j += V) {
      store_pack<V>(out + first + j, values + j);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      if (j < size) out[first + j] = to_storage<S>(values[j]);
    }
  }
}

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    dropout_rows_kernel(DropoutMask mask, DropoutRows<S> job) {
  using T = Compute<S>;
  const int64_t v = static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  if (v >= job.rows) return;  // whole warps leave, and there are no barriers
  const uint64_t counter_high = counter_high_of(mask);
  const T scale = static_cast<T>(mask.scale);
  const int64_t place = job.nodes[v] * job.dim;
  const int64_t offset = v * job.dim;
  for (int base = 0; base < job.dim; base += kSpan) {
    const uint32_t kept =
        kept_tile<V>(mask, counter_high, place, base, job.dim);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T values[V];
      load_pack<V>(job.x + offset + column, values);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        values[k] = (kept >> (j + k) & 1u) != 0 ? values[k] * scale : T(0);
      }
      store_pack<V>(job.out + offset + column, values);
    });
  }
}

}  // namespace

template <typename S>
cudaError_t launch_dropout(const DropoutMask& mask, const S* x, S* out,
                           int64_t count, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int64_t blocks = divided_up(count, kBlockThreads * kGroup);
  const auto kernel = all_aligned(x, out) ? dropout_kernel<kVector<S>, S>
                                          : dropout_kernel<1, S>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      mask, x, out, count);
  return cudaGetLastError();
}

template cudaError_t launch_dropout(const DropoutMask&, const float*, float*,
                                    int64_t, cudaStream_t);
template cudaError_t launch_dropout(const DropoutMask&, const double*, double*,
                                    int64_t, cudaStream_t);

template cudaError_t launch_dropout(const DropoutMask&, const __nv_bfloat16*,
                                    __nv_bfloat16*, int64_t, cudaStream_t);

template <typename S>
cudaError_t launch_dropout_rows(const DropoutMask& mask,
                                const DropoutRows<S>& job,
                                cudaStream_t stream) {
  if (job.rows == 0 || job.dim == 0) return cudaSuccess;
  const bool wide = job.dim % kVector<S> == 0 && all_aligned(job.x, job.out);
  const auto kernel =
      wide ? dropout_rows_kernel<kVector<S>, S> : dropout_rows_kernel<1, S>;
  const int64_t blocks = divided_up(job.rows, kBlockWarps);
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(mask,
                                                                      job);
  return cudaGetLastError();
}

template cudaError_t launch_dropout_rows(const DropoutMask&,
                                         const DropoutRows<float>&,
                                         cudaStream_t);
template cudaError_t launch_dropout_rows(const DropoutMask&,
                                         const DropoutRows<double>&,
                                         cudaStream_t);
template cudaError_t launch_dropout_rows(const DropoutMask&,
                                         const DropoutRows<__nv_bfloat16>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
