// Work split: blocks of rows that take turns in a chunk, as in
// cpu/ordered_layer_backward.cpp.
// Memory: rows are read and written in two bytes; combined rows and masks are
// computed again, a few rows at a time.
// Determinism: chunks follow from the graph, blocks are added to them and they
// to each other in order.
#include <ATen/Dispatch.h>

#include <algorithm>

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
        m_(sums_again<Index>(job, block, kFreeSlot + 3)),
        grad_h_(float_scratch(kFreeSlot, block.rows * dim_)),
        grad_m_(float_scratch(kFreeSlot + 1, block.rows * dim_)),
        gate_grad_(float_scratch(kFreeSlot + 4, block.rows * gates_)),
        grad_logits_(float_scratch(kFreeSlot + 5, block.rows * gates_)) {}

  void run() {
    undo_rows();
    undo_gate();
    undo_product();
  }

 private:
  // Dropout, norm and blend. Blocks of a chunk sum the norm's gradients side by
  // side and take turns to add them up.
  void undo_rows() {
    const int64_t begin = block_.begin;
    float* const sums = float_scratch(kFreeSlot + 6, 2 * dim_);
    std::fill(sums, sums + 2 * dim_, 0.0F);
    auto rows =
        blended_rows_job<kernels::BlendedRowsBackward>(job_, block_, m_);
    rows.grad_out = row_of<Bf16>(job_.grad_out, begin);
    rows.grad_gate = row_of<Bf16>(job_.grad_gate, begin);
    rows.grad_h = grad_h_;
    rows.grad_m = grad_m_;
    rows.gate_grad = gate_grad_;
    rows.grad_weight = sums;
    rows.grad_bias = sums + dim_;
    float* const space = normed_rows_scratch(kFreeSlot + 7, dim_);
    with_mask(job_.dropout, job_.h.size(0), block_.begin, rows,
              [&](const auto& job) {
                ORDERED_GNN_SIMD_CALL(normed_rows_backward(job, space));
              });
    turn_.take(kNormShares, [&] {
      float* const weight = row_of<float>(shares_.norm_weight, chunk_);
      float* const bias = row_of<float>(shares_.norm_bias, chunk_);
      ORDERED_GNN_SIMD_CALL(add_column_sums(sums, dim_, 0, 1, weight));
      ORDERED_GNN_SIMD_CALL(add_column_sums(sums, dim_, 1, 2, bias));
    });
  }

  void undo_gate() {
    auto gate = stored_gate_job(job_, block_);
    gate.grad_logits = grad_logits_;
    float* const space =
        float_scratch(kFreeSlot + 8, kernels::gate_scratch_size(gates_, dim_));
    ORDERED_GNN_SIMD_CALL(
        gate_to_logits(gate, gate_grad_, 0, block_.rows, space));
    narrow_rows(gate.grad_prev_gate, block_.rows, job_.grad_prev, block_.begin);
  }

  void undo_product() {
    const int64_t rows = block_.rows, begin = block_.begin;
    Bf16* const grad = bf16_scratch(kSumSlot, rows * gates_);
    ORDERED_GNN_SIMD_CALL(narrow(grad_logits_, rows * gates_, grad));
    const LeftRows left = {grad, rows, gates_};
    round_product(left, job_.of_h, grad_h_, dim_,
                  row_of<Bf16>(job_.grad_h, begin));
    round_product(left, job_.of_m, grad_m_, dim_,
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
  const Bf16* const m_;
  float *const grad_h_, *const grad_m_, *const gate_grad_, *const grad_logits_;
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
