// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row; a second kernel (column_sums.cu) adds up the blocks' shares of
// the parameters' gradients. Memory: h, m, the gradient and four rows of gates
// are read once, the gradients of h, m, logits and the gate before are written
// once. Blended and normalised values, softmax and masks are computed again in
// registers and shared memory. Rows of more than 256 columns are read three
// times. Determinism: which rows a warp owns follows from the numbers of rows
// and gates; sums run in row order within a warp, in the order of warps within
// a block.
#include "ops/cuda/kernels/gates/gate_backward_row.cuh"
#include "ops/cuda/kernels/gates/gate_fast.cuh"

namespace ordered_gnn::cuda {
namespace {

static_assert(kGateInPlaceDim <= kSpan,
              "a row of one span is read before any of it is written");

// Blocks that fit a multiprocessor side by side.
constexpr int kResident = 2;

template <typename T>
struct NormSums {
  T weight[kPerLane];
  T bias[kPerLane];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) weight[j] = bias[j] = T(0);
  }
  __device__ __forceinline__ void add(const GateSpan<T>& span) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      weight[j] += span.grad[j] * span.normalized[j];
      bias[j] += span.grad[j];
    }
  }
};

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads, kResident)
    gate_norm_backward_kernel(const GateNormBackward<S> job) {
  using T = Compute<S>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const first_part = reinterpret_cast<T*>(shared);
  const int size = scratch_size(job.gates);
  const Scratch<T> scratch(first_part + warp_id() * size, job.gates);
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * warps_per_block();
  const bool one_span = job.dim <= kSpan;
  GateSpan<T> span;
  NormSums<T> sums;
  sums.clear();
  for (int c = lane_id(); c < job.gates; c += kWarp) scratch.bias_sum[c] = T(0);
  for (int64_t v = first; v < job.rows; v += stride) {
    const RowMeans<T> means = row_means<V>(job, v, counter_high, span);
    if (one_span) sums.add(span);
    start_gates(job, v, scratch);
    undo_blend<V>(job, v, means, counter_high, scratch, span);
    undo_gates(job, v, scratch);
  }
  if (job.partial == nullptr) return;  // the same for all threads
  T* const shares = job.partial + static_cast<int64_t>(blockIdx.x) *
                                      (2 * job.dim + job.gates);
  const T* const first_span = first_part + 3 * job.gates;
  for (int base = 0; base < job.dim; base += kSpan) {
    if (!one_span) {
      sums.clear();
      for (int64_t v = first; v < job.rows; v += stride) {
        load_span<V>(job, v, base, counter_high, span);
        sums.add(span);
      }
    }
    const WarpParts<T> parts = {scratch.span, first_span, size};
    store_column_sums<V>(sums.weight, parts, base, job.dim, shares);
    store_column_sums<V>(sums.bias, parts, base, job.dim, shares + job.dim);
  }
  __syncthreads();  // bias_sum of all warps is complete
  for (int c = static_cast<int>(threadIdx.x); c < job.gates;
       c += static_cast<int>(blockDim.x)) {
    T total = T(0);
    for (int w = 0; w < warps_per_block(); ++w) {
      total += first_part[w * size + 2 * job.gates + c];
    }
    shares[2 * job.dim + c] = total;
  }
}

template <typename S>
int64_t warp_bytes(int gates) {
  return scratch_size(gates) * static_cast<int64_t>(sizeof(Compute<S>));
}

template <typename S>
int64_t warps_of(int gates) {
  return std::min<int64_t>(kBlockWarps, kSharedBytes / warp_bytes<S>(gates));
}

}  // namespace

template <typename S>
int64_t gate_norm_backward_blocks(int64_t rows, int gates) {
  const int64_t warps = warps_of<S>(gates);
  // Full blocks fill an H200 once; blocks of fewer warps are smaller too.
  const int64_t most =
      warps == kBlockWarps ? kMultiprocessors * kResident : kSumBlocks;
  return std::min(most, divided_up(rows, warps));
}

template <typename S>
cudaError_t launch_gate_norm_backward(const GateNormBackward<S>& any_pitch,
                                      cudaStream_t stream) {
  GateNormBackward<S> job = any_pitch;
  if (job.grad_pitch == 0) job.grad_pitch = job.dim;
  if (job.rows == 0) return cudaSuccess;
  if (job.gates < 1 || job.gates > kMaxGates) return cudaErrorInvalidValue;
  constexpr int V = kGatePack<S>;
  const bool wide = job.dim / job.gates % V == 0 && job.grad_pitch % V == 0 &&
                    packs_aligned<V>(job.h, job.m, job.norm_weight,
                                     job.grad_out, job.grad_h, job.grad_m);
  const int64_t blocks = gate_norm_backward_blocks<S>(job.rows, job.gates);
  if constexpr (kHasFast<S>) {
    if (has_fast_layout(job)) {
      return launch_gate_norm_backward_fast(job, blocks, stream);
    }
  }
  const int64_t warps = warps_of<S>(job.gates);
  const auto kernel =
      wide ? gate_norm_backward_kernel<V, S> : gate_norm_backward_kernel<1, S>;
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(warps * kWarp),
           static_cast<size_t>(warps * warp_bytes<S>(job.gates)), stream>>>(
      job);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                           \
  template int64_t gate_norm_backward_blocks<S>(int64_t, int);               \
  template cudaError_t launch_gate_norm_backward(const GateNormBackward<S>&, \
                                                 cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
