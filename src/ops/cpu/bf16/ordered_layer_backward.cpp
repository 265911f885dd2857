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
        grad_(float_scratch(kFreeSlot, block.rows * dim_)),
        gate_(widened_rows(kFreeSlot + 2, job.gate, block.begin, block.rows)),
        m_(sums_again<Index>(job, block, kFreeSlot + 3)),
        grad_logits_(float_scratch(kFreeSlot + 5, block.rows * gates_)),
        space_(float_scratch(kFreeSlot + 6,
                             kernels::gate_scratch_size(gates_, dim_))) {}

  void run() {
    drop_stored(job_.dropout, job_.h.size(0), block_, dim_,
                row_of<Bf16>(job_.grad_out, block_.begin), grad_);
    undo_norm();
    undo_gate();
  }

 private:
  void undo_norm() {
    kernels::GateForward<float, Bf16, Bf16> blend;
    blend.h = row_of<Bf16>(job_.h, block_.begin);
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
    auto gate = stored_gate_job<Bf16>(job_, block_);
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
  }

  void undo_product(const float* grad_h, const float* grad_m) {
    const int64_t rows = block_.rows, begin = block_.begin;
    Bf16* const grad = bf16_scratch(kSumSlot, rows * gates_);
    ORDERED_GNN_SIMD_CALL(narrow(grad_logits_, rows * gates_, grad));
    const LeftRows left = {grad, rows, gates_};
    round_product(left, job_.of_h, grad_h, dim_,
                  row_of<Bf16>(job_.grad_h, begin));
    round_product(left, job_.of_m, grad_m, dim_,
                  row_of<Bf16>(job_.grad_m, begin));
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
        {grad, m_, rows, gates_, dim_, grad_weight + dim_, 2 * dim_});
  }

  const Undo& job_;
  const Shares& shares_;
  const int64_t chunk_;
  const RowBlock block_;
  const core::ChunkTurn& turn_;
  const int64_t dim_, gates_;
  float *const grad_, *const gate_;
  const Bf16* const m_;
  float *const grad_logits_, *const space_;
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
