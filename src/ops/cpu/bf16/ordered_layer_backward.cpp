// Work split: blocks of rows that take turns in a chunk, as in
// cpu/ordered_layer_backward.cpp.
// Memory: rows are read and written in two bytes; a block is widened into
// scratch, where combined rows and masks are computed again.
// Determinism: chunks follow from the graph, blocks are added to them and they
// to each other in order.
#include <ATen/Dispatch.h>

#include "ops/cpu/bf16/gated_rows.h"
#include "ops/cpu/bf16/ordered_layer.h"
#include "ops/cpu/bf16/pieces.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/ordered_layer_backward_block.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

struct Undo : Backward {
  Packed of_h, of_m;  // the two halves of the gate's weight
};

template <typename Index>
class UndoBlock {
 public:
  UndoBlock(const Undo& job, const Shares& shares, int64_t chunk,
            const RowBlock& block, const core::ChunkTurn& turn)
      : job_(job),
        shares_(shares),
        chunk_(chunk),
        block_(block),
        turn_(turn),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(widened(0, job.grad_out)),
        h_(widened(1, job.h)),
        gate_(widened(2, job.gate)),
        stored_m_(sums_again<Index>(job, block, kFreeSlot + 3)),
        m_(float_scratch(kFreeSlot + 4, block.rows * dim_)),
        grad_logits_(float_scratch(kFreeSlot + 5, block.rows * gates_)),
        space_(float_scratch(kFreeSlot + 6,
                             kernels::gate_scratch_size(gates_, dim_))) {
    ORDERED_GNN_SIMD_CALL(widen(stored_m_, block.rows * dim_, m_));
  }

  void run() {
    drop_rows<float>(job_.dropout, job_.h.size(0), block_, dim_, grad_, grad_);
    undo_norm();
    undo_gate();
  }

 private:
  float* widened(int slot, const at::Tensor& matrix) const {
    return widened_rows(kFreeSlot + slot, matrix, block_.begin, block_.rows);
  }

  void undo_norm() {
    kernels::GateForward<float> blend;
    blend.h = h_;
    blend.m = m_;
    blend.gate = gate_;
    blend.out = float_scratch(kFreeSlot + 7, block_.rows * dim_);
    blend.gates = gates_;
    blend.dim = dim_;
    ORDERED_GNN_SIMD_CALL(gate_blend(blend, 0, block_.rows, space_));
    turn_.take(kNormShares, [&] {
      undo_norm_of<float>(job_, shares_, chunk_, block_, blend.out, grad_);
    });
  }

  void undo_gate() {
    const int64_t rows = block_.rows, begin = block_.begin;
    kernels::GateBackward<float> gate = gate_backward_job(job_, block_);
    gate.h = h_;
    gate.m = m_;
    gate.gate = gate_;
    gate.grad_out = grad_;
    gate.grad_logits = grad_logits_;
    // Behind the norm nobody reads the combined rows any more, and the gate's
    // backward reads a row of the gradient before it writes that of h.
    gate.grad_h = float_scratch(kFreeSlot + 7, rows * dim_);
    gate.grad_m = float_scratch(kFreeSlot + 8, rows * dim_);
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, rows, space_));
    narrow_rows(gate.grad_prev_gate, rows, job_.grad_prev, begin);
    undo_product(gate.grad_h, gate.grad_m);
    narrow_rows(gate.grad_h, rows, job_.grad_h, begin);
    narrow_rows(gate.grad_m, rows, job_.grad_m, begin);
  }

  void undo_product(float* grad_h, float* grad_m) {
    const int64_t rows = block_.rows;
    Bf16* const grad = bf16_scratch(kSumSlot, rows * gates_);
    ORDERED_GNN_SIMD_CALL(narrow(grad_logits_, rows * gates_, grad));
    add_product({grad, rows, gates_}, job_.of_h, grad_h, dim_);
    add_product({grad, rows, gates_}, job_.of_m, grad_m, dim_);
    turn_.take(kMapShares, [&] { add_shares(grad); });
  }

  void add_shares(const Bf16* grad) {
    const int64_t rows = block_.rows;
    float* const grad_bias = row_of<float>(shares_.gate_bias, chunk_);
    ORDERED_GNN_SIMD_CALL(
        add_column_sums(grad_logits_, gates_, 0, rows, grad_bias));
    float* const grad_weight =
        shares_.gate_weight.data_ptr<float>() + chunk_ * gates_ * 2 * dim_;
    add_product_of_rows({grad, row_of<Bf16>(job_.h, block_.begin), rows, gates_,
                         dim_, grad_weight, 2 * dim_});
    add_product_of_rows(
        {grad, stored_m_, rows, gates_, dim_, grad_weight + dim_, 2 * dim_});
  }

  const Undo& job_;
  const Shares& shares_;
  const int64_t chunk_;
  const RowBlock block_;
  const core::ChunkTurn& turn_;
  const int64_t dim_, gates_;
  float *const grad_, *const h_, *const gate_;
  const Bf16* const stored_m_;
  float *const m_, *const grad_logits_, *const space_;
};

}  // namespace

detail::OrderedRowGradients ordered_layer_rows_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  Undo job;
  set_ordered_layer(job, arguments);
  const int64_t width = job.h.size(1);
  job.of_h = packed(job.gate_weight.narrow(1, 0, width));
  job.of_m = packed(job.gate_weight.narrow(1, width, width));
  detail::OrderedRowGradients gradients;
  AT_DISPATCH_INDEX_TYPES(
      job.neighbours.col.scalar_type(), "ordered_layer", [&] {
        gradients = undo_chunks(
            job, arguments.kept.prev_gate.has_value(),
            [&](const Shares& shares, int64_t chunk, const RowBlock& block,
                const core::ChunkTurn& turn) {
              UndoBlock<index_t>(job, shares, chunk, block, turn).run();
            },
            kPieceRows);
      });
  return gradients;
}

}  // namespace ordered_gnn::cpu::bf16
