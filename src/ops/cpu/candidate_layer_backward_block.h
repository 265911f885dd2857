#pragma once
#include <algorithm>

#include "ops/cpu/gated_layer_backward.h"
#include "ops/cpu/row_norm_undo.h"

namespace ordered_gnn::cpu {

/// One backward pass of a layer with a candidate; tensors are contiguous.
struct CandidateBackward : GatedBackward {
  at::Tensor pre;
  at::Tensor candidate_weight;  // [D, 2 D], columns [m ; h]
  NormPass candidate_again;     // the candidate's norm as forward applied it
  NormUndo candidate_norm, norm;
  at::Tensor grad_logits;  // undefined: in scratch of a block
  // What every chunk of rows adds: [chunks, G, 2 D], [chunks, G],
  // [chunks, D, 2 D] and [chunks, D].
  at::Tensor gate_weight_shares, gate_bias_shares;
  at::Tensor candidate_weight_shares, candidate_bias_shares;
};

/// Takes a block of rows back through the steps of the layer, in scratch of the
/// thread. Where a norm pauses, the steps are those of different passes, and
/// the candidate's gradient waits in grad_m.
template <typename T, typename Index>
class CandidateBackwardBlock {
 public:
  CandidateBackwardBlock(const CandidateBackward& job, int64_t chunk,
                         const RowBlock& block, const core::ChunkTurn& turn)
      : job_(job),
        turn_(turn),
        chunk_(chunk),
        begin_(block.begin),
        rows_(block.rows),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(scratch(0, rows_, dim_)),
        candidate_(scratch(1, rows_, dim_)),
        blend_(scratch(2, rows_, dim_)),
        space_(scratch(3, 1, kernels::gate_scratch_size(gates_, dim_))),
        grad_logits_(job.grad_logits.defined()
                         ? row_of<T>(job.grad_logits, begin_)
                         : scratch(4, rows_, gates_)) {}

  /// The gradient of the norm's result, and what that norm was given.
  void restore() {
    cpu::normalize(job_.candidate_again, begin_, rows_, dim_, /*relu=*/true,
                   row_of<T>(job_.pre, begin_), candidate_);
    drop_rows<T>(job_.dropout, job_.h.size(0), {begin_, rows_}, dim_,
                 row_of<T>(job_.grad_out, begin_), grad_);
    if (job_.norm.mode == NormMode::none) return;
    blend_rows<T>(job_, {begin_, rows_}, candidate_, blend_, space_);
  }

  /// Adds this block to the sums that the layer's norm pauses for.
  void count() {
    turn_.take(kNormShares, [&] {
      count_norm(job_.norm, chunk_, rows_, dim_, blend_, grad_);
    });
  }

  /// From restore() to the gradients of logits, candidate and gate before.
  void undo_gate() {
    turn_.take(kNormShares, [&] {
      undo_norm(job_.norm, chunk_, begin_, rows_, dim_, blend_, grad_);
    });
    auto gate = gate_backward_job<T>(job_, {begin_, rows_});
    gate.m = candidate_;
    gate.grad_out = grad_;
    gate.grad_logits = grad_logits_;
    gate.grad_m = grad_pre();
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, rows_, space_));
    ORDERED_GNN_SIMD_CALL(undo_relu(candidate_, gate.grad_m, rows_ * dim_));
  }

  /// Adds this block to the sums that the candidate's norm pauses for.
  void count_candidate() {
    turn_.take(kCandidateNormShares, [&] {
      count_norm(job_.candidate_norm, chunk_, rows_, dim_,
                 row_of<T>(job_.pre, begin_), grad_pre());
    });
  }

  /// The products, once the gradients of logits and candidate are there.
  void undo_products() {
    T* const grad = scratch(0, rows_, dim_);
    if (job_.candidate_norm.pauses()) {
      const T* const kept = row_of<T>(job_.grad_m, begin_);
      std::copy(kept, kept + rows_ * dim_, grad);
    }
    turn_.take(kCandidateNormShares, [&] {
      undo_norm(job_.candidate_norm, chunk_, begin_, rows_, dim_,
                row_of<T>(job_.pre, begin_), grad);
    });
    T* const grad_m = row_of<T>(job_.grad_m, begin_);
    std::fill(grad_m, grad_m + rows_ * dim_, T(0));
    T* const grad_h = row_of<T>(job_.grad_h, begin_);
    const T* const h = row_of<T>(job_.h, begin_);
    const T* const m = sums();
    const PairMap<T> gate_map = map(job_.gate_weight, job_.gate_weight_shares,
                                    job_.gate_bias_shares, grad_logits_);
    const PairMap<T> candidate_map =
        map(job_.candidate_weight, job_.candidate_weight_shares,
            job_.candidate_bias_shares, grad);
    undo_map<T>(gate_map, rows_, grad_h, grad_m);
    undo_map<T>(candidate_map, rows_, grad_m, grad_h);
    turn_.take(kMapShares, [&] {
      add_map_shares<T>(gate_map, rows_, h, m);
      add_map_shares<T>(candidate_map, rows_, m, h);
    });
  }

 private:
  // A map with the shares of this chunk.
  PairMap<T> map(const at::Tensor& weight, const at::Tensor& weight_shares,
                 const at::Tensor& bias_shares, const T* grad) const {
    return {weight,
            weight_shares.template data_ptr<T>() + chunk_ * weight.numel(),
            row_of<T>(bias_shares, chunk_), grad};
  }

  T* scratch(int slot, int64_t rows, int64_t columns) const {
    return scratch_of<T>(slot, rows, columns, job_.h);
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

  const CandidateBackward& job_;
  const core::ChunkTurn& turn_;
  const int64_t chunk_, begin_, rows_, dim_, gates_;
  T *const grad_, *const candidate_, *const blend_, *const space_;
  T* const grad_logits_;
};

}  // namespace ordered_gnn::cpu
