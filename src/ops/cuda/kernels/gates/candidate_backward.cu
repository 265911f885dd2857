// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row; a second kernel (column_sums.cu) adds up the blocks' shares of
// the parameters' gradients. Memory: h, the rows before the candidate's norm,
// the gradient and four rows of gates are read once, the gradients of h, of
// those rows, of logits and of the gate before are written once; all else is
// computed again in registers and shared memory. Determinism: which rows a warp
// owns follows from the numbers of rows and gates; sums run in row order within
// a warp, in the order of warps within a block.
#include "ops/cuda/kernels/gates/candidate_row.cuh"
#include "ops/cuda/kernels/gates/gate_backward_row.cuh"

namespace ordered_gnn::cuda {
namespace {

// Blocks that one multiprocessor holds.
template <typename S>
constexpr int kResident = sizeof(S) > 4 ? 1 : 2;

// The lane's columns of a row; zeros past its end.
template <typename T>
struct CandidateRow {
  T grad[kPerLane];        // of the norm's result, dropout undone, and so on
  T difference[kPerLane];  // h - c
  T before[kPerLane];      // standardised, or as it is without a norm
  T blend[kPerLane];       // the same of the blend
  uint32_t open;           // bit j: relu let slot j through
};

// Gate of a column, as it is stored.
template <typename S>
__device__ __forceinline__ Compute<S> gate_of(const GateNormBackward<S>& job,
                                              int64_t v, int column) {
  return to_compute(job.gate[v * job.gates + column / (job.dim / job.gates)]);
}

template <int V, typename S, typename T>
__device__ __forceinline__ void restore(const CandidateBackward<S>& job,
                                        int64_t v, uint64_t counter_high,
                                        CandidateRow<T>& row) {
  const int64_t offset = v * job.dim;
  load_tile<V>(job.grad_out + offset, 0, job.dim, row.grad);
  load_tile<V>(job.h + offset, 0, job.dim, row.difference);
  load_tile<V>(job.m + offset, 0, job.dim, row.before);
  const uint32_t kept =
      kept_tile<V>(job.mask, counter_high, offset, 0, job.dim);
  const T scale = static_cast<T>(job.mask.scale);
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    row.grad[j] = (kept >> j & 1u) != 0 ? row.grad[j] * scale : T(0);
  }
  standardize<V>(job.candidate, kept_statistics(job.candidate, v), job.dim,
                 row.before);
  scale_and_shift<V>(job.candidate, job.dim, row.before, row.blend);
  row.open = 0;
  for_packs<V>(0, job.dim, [&](int j, int column) {
    const T g = gate_of<S>(job, v, column);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T c = relu_of(row.blend[j + k]);
      row.open |= (c <= T(0) ? 0u : 1u) << (j + k);
      row.difference[j + k] -= c;
      row.blend[j + k] = c + g * row.difference[j + k];
    }
  });
  standardize<V>(job.norm, kept_statistics(job.norm, v), job.dim, row.blend);
}

// The gradient of a norm over a row: `grad` of its result becomes that of what
// it was given.
template <int V, typename T>
__device__ __forceinline__ void undo_row_norm(const NormJob<T>& norm, T rstd,
                                              int dim, const T (&x)[kPerLane],
                                              T (&grad)[kPerLane]) {
  T sum = T(0), product = T(0);
  for_packs<V>(0, dim, [&](int j, int column) {
    T weight[V];
    load_pack<V>(norm.weight + column, weight);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      grad[j + k] *= weight[k];
      sum += grad[j + k];
      product += grad[j + k] * x[j + k];
    }
  });
  const T inverse_dim = T(1) / static_cast<T>(dim);
  const T mean = warp_sum(sum) * inverse_dim;
  const T correlation = warp_sum(product) * inverse_dim;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    grad[j] = rstd * (grad[j] - mean - x[j] * correlation);
  }
}

// The same over columns; without means the statistics are constants.
template <int V, typename T>
__device__ __forceinline__ void undo_column_norm(const NormJob<T>& norm,
                                                 const T* mean_grad,
                                                 const T* mean_product, int dim,
                                                 const T (&x)[kPerLane],
                                                 T (&grad)[kPerLane]) {
  for_packs<V>(0, dim, [&](int j, int column) {
    T weight[V], rstd[V], mean[V] = {}, correlation[V] = {};
    load_pack<V>(norm.weight + column, weight);
    load_pack<V>(norm.rstd + column, rstd);
    if (mean_grad != nullptr) {
      load_pack<V>(mean_grad + column, mean);
      load_pack<V>(mean_product + column, correlation);
    }
#pragma unroll
    for (int k = 0; k < V; ++k) {
      grad[j + k] = rstd[k] * weight[k] *
                    (grad[j + k] - mean[k] - x[j + k] * correlation[k]);
    }
  });
}

// Sums over the rows of a warp.
template <typename T>
struct CandidateShares {
  T weight[kPerLane] = {};
  T bias[kPerLane] = {};
  T candidate_weight[kPerLane] = {};
  T candidate_bias[kPerLane] = {};
  T grad_m[kPerLane] = {};
};

template <typename T>
__device__ __forceinline__ void add_norm(const T (&grad)[kPerLane],
                                         const T (&x)[kPerLane],
                                         T (&weight)[kPerLane],
                                         T (&bias)[kPerLane]) {
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    weight[j] += grad[j] * x[j];
    bias[j] += grad[j];
  }
}

// From the gradient of the blend to that of the candidate, in place; stores
// that of h and adds that of the gates to scratch.grad.
template <int V, typename S, typename T>
__device__ __forceinline__ void undo_blend_of(const CandidateBackward<S>& job,
                                              int64_t v,
                                              const Scratch<T>& scratch,
                                              CandidateRow<T>& row) {
  const int repeat = job.dim / job.gates;
  for_packs<V>(0, job.dim, [&](int j, int column) {
    const T g = gate_of<S>(job, v, column);
    T to_h[V], fold = T(0);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T grad = row.grad[j + k];
      const T product = grad * row.difference[j + k];
      to_h[k] = grad * g;
      row.grad[j + k] = (row.open >> (j + k) & 1u) != 0 ? grad - to_h[k] : T(0);
      fold += product;
      if (repeat != V) scratch.span[column + k] = product;
    }
    // The pack is all there is of its gate.
    if (repeat == V) scratch.grad[column / V] += fold;
    store_pack<V>(job.grad_h + v * job.grad_pitch + column, to_h);
  });
  __syncwarp();  // products and gates of other lanes are read from here on
  if (repeat != V) {
    fold_span(job, 0, scratch);
    __syncwarp();  // gates change their owner
  }
}

// From the gradient of the candidate, relu undone, to that of the rows before
// its norm, in place.
template <int V, typename S, typename T>
__device__ __forceinline__ void undo_candidate(const CandidateBackward<S>& job,
                                               int64_t v,
                                               CandidateRow<T>& row) {
  if (job.candidate.over == NormOver::row) {
    undo_row_norm<V>(job.candidate, job.candidate.rstd[v], job.dim, row.before,
                     row.grad);
  } else if (job.candidate.over == NormOver::columns && !job.candidate_waits) {
    undo_column_norm<V, T>(job.candidate, nullptr, nullptr, job.dim, row.before,
                           row.grad);
  }
}

template <int V, typename S, typename T>
__device__ __forceinline__ void undo_row(const CandidateBackward<S>& job,
                                         int64_t v, const Scratch<T>& scratch,
                                         CandidateRow<T>& row,
                                         CandidateShares<T>& shares) {
  if (job.norm.over == NormOver::row) {
    undo_row_norm<V>(job.norm, job.norm.rstd[v], job.dim, row.blend, row.grad);
  } else if (job.norm.over == NormOver::columns) {
    undo_column_norm<V, T>(job.norm, job.mean_grad, job.mean_product, job.dim,
                           row.blend, row.grad);
  }
  start_gates(job, v, scratch);
  undo_blend_of<V>(job, v, scratch, row);
  add_norm(row.grad, row.before, shares.candidate_weight,
           shares.candidate_bias);
  undo_candidate<V>(job, v, row);
  for_packs<V>(0, job.dim, [&](int j, int column) {
#pragma unroll
    for (int k = 0; k < V; ++k) shares.grad_m[j + k] += row.grad[j + k];
    store_pack<V>(job.grad_m + v * job.grad_pitch + column, row.grad + j);
  });
  undo_gates(job, v, scratch);
}

// All threads of the block must call it.
template <int V, bool kCounts, typename S, typename T>
__device__ __forceinline__ void store_shares(const CandidateBackward<S>& job,
                                             const CandidateShares<T>& shares,
                                             const Scratch<T>& scratch,
                                             const T* first_part) {
  const int size = scratch_size(job.gates);
  const WarpParts<T> parts = {scratch.span, first_part + 3 * job.gates, size};
  T* const out = job.partial +
                 static_cast<int64_t>(blockIdx.x) * (2 * job.dim + job.gates);
  store_column_sums<V>(shares.weight, parts, 0, job.dim, out);
  store_column_sums<V>(shares.bias, parts, 0, job.dim, out + job.dim);
  // Behind the barriers above bias_sum of all warps is complete.
  for (int c = static_cast<int>(threadIdx.x); c < job.gates;
       c += static_cast<int>(blockDim.x)) {
    T total = T(0);
    for (int w = 0; w < warps_per_block(); ++w) {
      total += first_part[w * size + 2 * job.gates + c];
    }
    out[2 * job.dim + c] = total;
  }
  if constexpr (!kCounts) {
    T* const of_candidate =
        job.candidate_partial + static_cast<int64_t>(blockIdx.x) * 3 * job.dim;
    store_column_sums<V>(shares.candidate_weight, parts, 0, job.dim,
                         of_candidate);
    store_column_sums<V>(shares.candidate_bias, parts, 0, job.dim,
                         of_candidate + job.dim);
    store_column_sums<V>(shares.grad_m, parts, 0, job.dim,
                         of_candidate + 2 * job.dim);
  }
}

template <int V, bool kCounts, typename S>
__global__ void __launch_bounds__(kBlockThreads, kResident<S>)
    candidate_backward_kernel(const CandidateBackward<S> job) {
  using T = Compute<S>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const first_part = reinterpret_cast<T*>(shared);
  const Scratch<T> scratch(first_part + warp_id() * scratch_size(job.gates),
                           job.gates);
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * warps_per_block();
  for (int c = lane_id(); c < job.gates; c += kWarp) scratch.bias_sum[c] = T(0);
  CandidateRow<T> row;
  CandidateShares<T> shares;
  for (int64_t v = first; v < job.rows; v += stride) {
    restore<V>(job, v, counter_high, row);
    add_norm(row.grad, row.blend, shares.weight, shares.bias);
    if constexpr (!kCounts) undo_row<V>(job, v, scratch, row, shares);
  }
  store_shares<V, kCounts>(job, shares, scratch, first_part);
}

template <typename S>
bool is_packed(const CandidateBackward<S>& job) {
  constexpr int V = kGatePack<S>;
  return job.dim / job.gates % V == 0 && job.grad_pitch % V == 0 &&
         packs_aligned<V>(job.h, job.m, job.grad_out, job.grad_h, job.grad_m,
                          job.candidate.weight, job.candidate.bias,
                          job.norm.weight, job.mean_grad, job.mean_product) &&
         (job.candidate.over != NormOver::columns ||
          packs_aligned<V>(job.candidate.mean, job.candidate.rstd)) &&
         (job.norm.over != NormOver::columns ||
          packs_aligned<V>(job.norm.mean, job.norm.rstd));
}

template <bool kCounts, typename S>
auto kernel_for(const CandidateBackward<S>& job) {
  return is_packed(job) ? candidate_backward_kernel<kGatePack<S>, kCounts, S>
                        : candidate_backward_kernel<1, kCounts, S>;
}

}  // namespace

template <typename S>
cudaError_t launch_candidate_backward(const CandidateBackward<S>& any_pitch,
                                      cudaStream_t stream) {
  CandidateBackward<S> job = any_pitch;
  if (job.grad_pitch == 0) job.grad_pitch = job.dim;
  if (job.rows == 0) return cudaSuccess;
  if (job.gates < 1 || job.gates > kMaxGates || job.dim > kCandidateDim) {
    return cudaErrorInvalidValue;
  }
  const int64_t warp_bytes =
      scratch_size(job.gates) * static_cast<int64_t>(sizeof(Compute<S>));
  const int64_t warps =
      std::min<int64_t>(kBlockWarps, kSharedBytes / warp_bytes);
  const int64_t blocks = gate_norm_backward_blocks<S>(job.rows, job.gates);
  const auto kernel =
      job.counts ? kernel_for<true>(job) : kernel_for<false>(job);
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(warps * kWarp),
           static_cast<size_t>(warps * warp_bytes), stream>>>(job);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                            \
  template cudaError_t launch_candidate_backward(const CandidateBackward<S>&, \
                                                 cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
