#pragma once
#include <ATen/Functions.h>

#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/chunk_shares.h"
#include "ops/cpu/gated_layer_backward.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::cpu {

/// One backward pass of the layer; tensors are contiguous.
struct Backward : GatedBackward {
  at::Tensor mean, rstd;
  at::Tensor norm_weight;
};

inline void set_ordered_layer(
    Backward& job, const detail::OrderedLayerBackwardArguments& arguments) {
  set_layer(job, arguments);
  job.mean = arguments.kept.mean;
  job.rstd = arguments.kept.rstd;
  job.norm_weight = arguments.kept.norm_weight.contiguous();
}

/// What every chunk of rows adds to the gradients of the parameters.
struct Shares {
  at::Tensor gate_weight;  // [chunks, G, 2 D]
  at::Tensor gate_bias;    // [chunks, G]
  at::Tensor norm_weight;  // [chunks, D]
  at::Tensor norm_bias;    // [chunks, D]
};

/// Calls undo(shares, chunk, block, turn) on all blocks of all chunks and gives
/// the gradients.
template <typename Undo>
detail::OrderedRowGradients undo_chunks(const Backward& job, bool has_prev_gate,
                                        const Undo& undo,
                                        int64_t block_rows = kChunkBlockRows) {
  const std::vector<int64_t> bounds = chunk_bounds(
      job.neighbours.rowptr.data_ptr<int64_t>(), job.h.size(0), kLayerRowCost);
  const auto chunks = static_cast<int64_t>(bounds.size()) - 1;
  const int64_t width = job.h.size(1);
  const int64_t gates = job.gate.size(1);
  const at::TensorOptions options = job.norm_weight.options();
  const Shares shares{zero_shares({chunks, gates, 2 * width}, options),
                      at::zeros({chunks, gates}, options),
                      at::zeros({chunks, width}, options),
                      at::zeros({chunks, width}, options)};
  for_chunks(
      bounds,
      [&](int64_t chunk, const RowBlock& block, const core::ChunkTurn& turn) {
        undo(shares, chunk, block, turn);
      },
      block_rows);
  return {job.grad_h,
          job.grad_m,
          grad_of_prev_gate(job, has_prev_gate),
          sum_of_shares(shares.gate_weight),
          shares.gate_bias.sum(0),
          shares.norm_weight.sum(0),
          shares.norm_bias.sum(0)};
}

/// Takes the gradient of a block's normalized rows back to its combined rows,
/// in place, and adds the norm's own to the chunk's shares.
template <typename T>
void undo_norm_of(const Backward& job, const Shares& shares, int64_t chunk,
                  const RowBlock& block, const T* combined, T* grad) {
  kernels::NormBackward<T> norm;
  norm.grad = grad;
  norm.x = combined;
  norm.mean = job.mean.data_ptr<T>() + block.begin;
  norm.rstd = job.rstd.data_ptr<T>() + block.begin;
  norm.weight = job.norm_weight.data_ptr<T>();
  norm.grad_x = grad;
  norm.dim = job.h.size(1);
  T* const grad_weight = row_of<T>(shares.norm_weight, chunk);
  T* const grad_bias = row_of<T>(shares.norm_bias, chunk);
  ORDERED_GNN_SIMD_CALL(
      norm_backward(norm, 0, block.rows, grad_weight, grad_bias));
}

/// Takes a block of rows back through the steps of the layer, in scratch of the
/// thread: gradients of the rows go to grad_h, grad_m and grad_prev, those of
/// the parameters are added to the chunk's shares, in turn.
template <typename T, typename Index>
class BackwardBlock {
 public:
  BackwardBlock(const Backward& job, const Shares& shares, int64_t chunk,
                const RowBlock& block, const core::ChunkTurn& turn)
      : job_(job),
        shares_(shares),
        chunk_(chunk),
        block_(block),
        turn_(turn),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(scratch(0, block.rows, dim_)),
        combined_(scratch(1, block.rows, dim_)),
        grad_logits_(scratch(2, block.rows, gates_)),
        space_(scratch(3, 1, kernels::gate_scratch_size(gates_, dim_))),
        m_(sums()) {}

  void run() {
    drop_rows<T>(job_.dropout, job_.h.size(0), block_, dim_,
                 row_of<T>(job_.grad_out, block_.begin), grad_);
    blend_rows(job_, block_, m_, combined_, space_);
    turn_.take(kNormShares, [&] {
      undo_norm_of<T>(job_, shares_, chunk_, block_, combined_, grad_);
    });
    undo_gate();
    undo_product();
  }

 private:
  T* scratch(int slot, int64_t rows, int64_t columns) const {
    return scratch_of<T>(slot, rows, columns, job_.h);
  }

  const T* sums() const {
    if (job_.m.defined()) return row_of<T>(job_.m, block_.begin);
    T* const gathered = scratch(4, block_.rows, dim_);
    sum_block<T, Index>(job_.neighbours, block_.begin, block_.rows, gathered);
    return gathered;
  }

  void undo_gate() {
    auto gate = gate_backward_job<T>(job_, block_);
    gate.m = m_;
    gate.grad_out = grad_;
    gate.grad_logits = grad_logits_;
    gate.grad_m = row_of<T>(job_.grad_m, block_.begin);
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, block_.rows, space_));
  }

  void undo_product() {
    const int64_t begin = block_.begin, rows = block_.rows;
    const PairMap<T> map{
        job_.gate_weight,
        shares_.gate_weight.template data_ptr<T>() + chunk_ * gates_ * 2 * dim_,
        row_of<T>(shares_.gate_bias, chunk_), grad_logits_};
    undo_map<T>(map, rows, row_of<T>(job_.grad_h, begin),
                row_of<T>(job_.grad_m, begin));
    turn_.take(kMapShares, [&] {
      add_map_shares<T>(map, rows, row_of<T>(job_.h, begin), m_);
    });
  }

  const Backward& job_;
  const Shares& shares_;
  const int64_t chunk_;
  const RowBlock block_;
  const core::ChunkTurn& turn_;
  const int64_t dim_, gates_;
  T *const grad_, *const combined_, *const grad_logits_, *const space_;
  const T* const m_;  // rows of the block
};

}  // namespace ordered_gnn::cpu
