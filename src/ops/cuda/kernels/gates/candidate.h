#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/gates/gate_norm.h"

namespace ordered_gnn::cuda {

/// Widest rows of the kernels below: a warp holds one in registers.
constexpr int kCandidateDim = 256;

/// What a norm takes mean and variance over.
enum class NormOver { nothing, row, columns };

/// (x - mean) * rstd * weight + bias, or x over nothing.
template <typename T>
struct NormJob {
  NormOver over = NormOver::nothing;
  const T* weight = nullptr;  // [dim]
  const T* bias = nullptr;    // [dim]; read by forward, and of the candidate
  T* mean = nullptr;  // over a row: [rows], written by forward; over columns:
  T* rstd = nullptr;  // [dim], known
};

/// What follows the products in a layer with a candidate: as GateNormForward,
/// with m the rows before the candidate's norm and c in the place of m,
///
///   c    = relu(candidate(m))
///   x    = up(gate) * h + (1 - up(gate)) * c
///   out  = dropout(norm(x))
///
/// norm_weight and all that is its own in the base are not read.
template <typename S>
struct CandidateForward : GateNormForward<S> {
  NormJob<Compute<S>> candidate, norm;
};

/// @return cudaErrorInvalidValue for rows of more than kCandidateDim columns.
template <typename S>
cudaError_t launch_candidate_forward(const CandidateForward<S>& job,
                                     cudaStream_t stream);

/// Its gradients, as GateNormBackward, with grad_m that of the rows before the
/// candidate's norm. It may be m, and grad_h may be grad_out.
template <typename S>
struct CandidateBackward : GateNormBackward<S> {
  using T = Compute<S>;
  NormJob<T> candidate, norm;
  // Over columns of a batch the statistics have a gradient too: mean over all
  // rows of the gradient behind the norm, and of that times the normalised
  // value, [dim] each; null where the statistics are fixed.
  const T* mean_grad = nullptr;
  const T* mean_product = nullptr;
  // The candidate's norm needs those of its own: grad_m is left as the gradient
  // behind that norm, for launch_column_norm_undo().
  bool candidate_waits = false;
  // [blocks, 3 dim]: shares of the gradients of the candidate norm's weight and
  // bias and of the sum of grad_m; `partial` has those of the norm and of the
  // gate's bias. Null, with `counts`: not made.
  T* candidate_partial = nullptr;
  // Nothing but the shares of the norm's gradients is computed, for the means
  // above; the other results may be null.
  bool counts = false;
};

/// Blocks as gate_norm_backward_blocks(); errors as forward.
template <typename S>
cudaError_t launch_candidate_backward(const CandidateBackward<S>& job,
                                      cudaStream_t stream);

}  // namespace ordered_gnn::cuda
