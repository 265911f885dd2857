#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>

#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ops/cpu/row_norm_undo.h"
#include "ops/cpu/row_sum.h"
#include "ops/cpu/scratch.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cpu {

/// One backward pass of a layer with a candidate; tensors are contiguous.
struct CandidateBackward {
  ScaledRows neighbours;
  at::Tensor h, gate, logits, pre;
  at::Tensor prev_gate;         // read in mode softor
  at::Tensor m;                 // undefined: gathered again
  at::Tensor gate_weight;       // [G, 2 D], columns [h ; m]
  at::Tensor candidate_weight;  // [D, 2 D], columns [m ; h]
  NormPass candidate_again;     // the candidate's norm as forward applied it
  NormUndo candidate_norm, norm;
  at::Tensor grad_out, grad_gate;  // grad_gate undefined for zeros
  at::Tensor grad_h, grad_m, grad_prev;
  at::Tensor grad_logits;  // undefined: in scratch of a block
  // What every chunk of rows adds: [chunks, G, 2 D], [chunks, G],
  // [chunks, D, 2 D] and [chunks, D].
  at::Tensor gate_weight_shares, gate_bias_shares;
  at::Tensor candidate_weight_shares, candidate_bias_shares;
  kernels::GateMode mode = kernels::GateMode::softor;
  detail::Dropout dropout;
};

/// Takes a block of rows back through the steps of the layer, in scratch of the
/// thread. Where a norm pauses, the steps are those of different passes, and
/// the candidate's gradient waits in grad_m.
template <typename T, typename Index>
class CandidateBackwardBlock {
 public:
  CandidateBackwardBlock(const CandidateBackward& job, int64_t chunk,
                         int64_t begin, int64_t end)
      : job_(job),
        chunk_(chunk),
        begin_(begin),
        rows_(end - begin),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(scratch(0, rows_, dim_)),
        candidate_(scratch(1, rows_, dim_)),
        blend_(scratch(2, rows_, dim_)),
        space_(scratch(3, 1, kernels::gate_scratch_size(gates_, dim_))),
        grad_logits_(job.grad_logits.defined()
                         ? row_of<T>(job.grad_logits, begin)
                         : scratch(4, rows_, gates_)) {}

  /// The gradient of the norm's result, and what that norm was given.
  void restore() {
    cpu::normalize(job_.candidate_again, begin_, rows_, dim_, /*relu=*/true,
                   row_of<T>(job_.pre, begin_), candidate_);
    undo_dropout();
    if (job_.norm.mode != NormMode::none) blend();
  }

  /// Adds this block to the sums that the layer's norm pauses for.
  void count() { count_norm(job_.norm, chunk_, rows_, dim_, blend_, grad_); }

  /// From restore() to the gradients of logits, candidate and gate before.
  void undo_gate() {
    undo_norm(job_.norm, chunk_, begin_, rows_, dim_, blend_, grad_);
    kernels::GateBackward<T> gate;
    gate.mode = job_.mode;
    gate.logits = row_of<T>(job_.logits, begin_);
    gate.prev_gate = row_of<T>(job_.prev_gate, begin_);
    gate.h = row_of<T>(job_.h, begin_);
    gate.m = candidate_;
    gate.gate = row_of<T>(job_.gate, begin_);
    gate.grad_out = grad_;
    gate.grad_gate = row_of<T>(job_.grad_gate, begin_);
    gate.grad_logits = grad_logits_;
    gate.grad_prev_gate = row_of<T>(job_.grad_prev, begin_);
    gate.grad_h = row_of<T>(job_.grad_h, begin_);
    gate.grad_m = grad_pre();
    gate.gates = gates_;
    gate.dim = dim_;
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, rows_, space_));
    ORDERED_GNN_SIMD_CALL(undo_relu(candidate_, gate.grad_m, rows_ * dim_));
  }

  /// Adds this block to the sums that the candidate's norm pauses for.
  void count_candidate() {
    count_norm(job_.candidate_norm, chunk_, rows_, dim_,
               row_of<T>(job_.pre, begin_), grad_pre());
  }

  /// The products, once the gradients of logits and candidate are there.
  void undo_products() {
    T* const grad = scratch(0, rows_, dim_);
    if (job_.candidate_norm.pauses()) {
      const T* const kept = row_of<T>(job_.grad_m, begin_);
      std::copy(kept, kept + rows_ * dim_, grad);
    }
    undo_norm(job_.candidate_norm, chunk_, begin_, rows_, dim_,
              row_of<T>(job_.pre, begin_), grad);
    T* const grad_m = row_of<T>(job_.grad_m, begin_);
    std::fill(grad_m, grad_m + rows_ * dim_, T(0));
    T* const grad_h = row_of<T>(job_.grad_h, begin_);
    const T* const h = row_of<T>(job_.h, begin_);
    const T* const m = sums();
    const Map gate{job_.gate_weight, job_.gate_weight_shares,
                   job_.gate_bias_shares, grad_logits_};
    undo_map(gate, {h, grad_h}, {m, grad_m});
    const Map candidate{job_.candidate_weight, job_.candidate_weight_shares,
                        job_.candidate_bias_shares, grad};
    undo_map(candidate, {m, grad_m}, {h, grad_h});
  }

 private:
  // A map of [a ; b]: its weight, the shares of its gradients, and the gradient
  // of its result.
  struct Map {
    const at::Tensor &weight, &weight_shares, &bias_shares;
    const T* grad;
  };

  // Rows that a map reads, and their gradient.
  struct Half {
    const T* x;
    T* grad_x;
  };

  T* scratch(int slot, int64_t rows, int64_t columns) const {
    return scratch_rows(slot, rows, columns, job_.h.options())
        .template data_ptr<T>();
  }

  // The candidate's gradient waits for a pause, or stays in cache. The
  // gradient of the blend is spent by then.
  T* grad_pre() const {
    return job_.candidate_norm.pauses() ? row_of<T>(job_.grad_m, begin_)
                                        : grad_;
  }

  const T* sums() const {
    if (job_.m.defined()) return row_of<T>(job_.m, begin_);
    T* const gathered = scratch(1, rows_, dim_);
    sum_block<T, Index>(job_.neighbours, begin_, rows_, gathered);
    return gathered;
  }

  void undo_dropout() {
    const T* const grad = row_of<T>(job_.grad_out, begin_);
    if (job_.dropout.p == 0) {
      std::copy(grad, grad + rows_ * dim_, grad_);
      return;
    }
    const kernels::DropoutMask mask(job_.dropout.mask_key(), job_.dropout.p);
    ORDERED_GNN_SIMD_CALL(
        dropout(mask, grad, grad_, begin_ * dim_, rows_ * dim_));
  }

  void blend() {
    kernels::GateForward<T> job;
    job.h = row_of<T>(job_.h, begin_);
    job.m = candidate_;
    job.gate = row_of<T>(job_.gate, begin_);
    job.out = blend_;
    job.gates = gates_;
    job.dim = dim_;
    ORDERED_GNN_SIMD_CALL(gate_blend(job, 0, rows_, space_));
  }

  void undo_map(const Map& map, const Half& a, const Half& b) const {
    const int64_t columns = map.weight.size(0);
    T* const grad_weight =
        map.weight_shares.template data_ptr<T>() + chunk_ * columns * 2 * dim_;
    T* const grad_bias = row_of<T>(map.bias_shares, chunk_);
    ORDERED_GNN_SIMD_CALL(
        add_column_sums(map.grad, columns, 0, rows_, grad_bias));
    const T* const weight = map.weight.template data_ptr<T>();
    undo_half(map.grad, columns, weight, a, grad_weight);
    undo_half(map.grad, columns, weight + dim_, b, grad_weight + dim_);
  }

  void undo_half(const T* grad, int64_t columns, const T* weight,
                 const Half& half, T* grad_weight) const {
    kernels::Product<T> to_x;
    to_x.rows = rows_;
    to_x.columns = to_x.c_row = dim_;
    to_x.depth = to_x.a_row = columns;
    to_x.a_depth = 1;
    to_x.a = grad;
    to_x.b = weight;
    to_x.b_row = 2 * dim_;
    to_x.c = half.grad_x;
    ORDERED_GNN_SIMD_CALL(add_product(to_x));
    kernels::Product<T> to_weight;
    to_weight.rows = to_weight.a_depth = columns;
    to_weight.columns = to_weight.b_row = dim_;
    to_weight.depth = rows_;
    to_weight.a_row = 1;
    to_weight.a = grad;
    to_weight.b = half.x;
    to_weight.c = grad_weight;
    to_weight.c_row = 2 * dim_;
    ORDERED_GNN_SIMD_CALL(add_product(to_weight));
  }

  const CandidateBackward& job_;
  const int64_t chunk_, begin_, rows_, dim_, gates_;
  T *const grad_, *const candidate_, *const blend_, *const space_;
  T* const grad_logits_;
};

}  // namespace ordered_gnn::cpu
