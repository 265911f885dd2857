#pragma once
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/gated_layer_backward.h"

// What ordered_layer and candidate_layer have in common on rows in bfloat16.
namespace ordered_gnn::cpu::bf16 {

/// The gate of a block, stored, and the blend of h and m by it as it is stored.
/// `out` may be `m`, whose rows are Bf16 or float. Uses the slots kFreeSlot +
/// 5,
/// + 7 and + 8.
template <typename M>
void open_and_blend(const GatedForward& job, const RowBlock& block,
                    const float* logits, const M* m, float* out) {
  const int64_t rows = block.rows;
  kernels::GateForward<float, Bf16, M> gate;
  gate.mode = job.mode;
  gate.logits = logits;
  gate.prev_gate =
      widened_rows(kFreeSlot + 5, job.prev_gate, block.begin, rows);
  gate.h = row_of<Bf16>(job.h, block.begin);
  gate.m = m;
  gate.out = out;
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  gate.gate = float_scratch(kFreeSlot + 7, rows * gate.gates);
  float* const space = float_scratch(
      kFreeSlot + 8, kernels::gate_scratch_size(gate.gates, gate.dim));
  ORDERED_GNN_SIMD_CALL(gate_open(gate, 0, rows, space));
  Bf16* const kept = row_of<Bf16>(job.gate, block.begin);
  ORDERED_GNN_SIMD_CALL(narrow_both(gate.gate, rows * gate.gates, kept));
  ORDERED_GNN_SIMD_CALL(gate_blend(gate, 0, rows, space));
}

/// The sums over neighbours of a block, as forward kept them or, in this slot,
/// gathered again.
template <typename Index>
const Bf16* sums_again(const GatedBackward& job, const RowBlock& block,
                       int slot) {
  if (job.m.defined()) return row_of<Bf16>(job.m, block.begin);
  Bf16* const gathered = bf16_scratch(slot, block.rows * job.h.size(1));
  sum_block<Bf16, Index>(job.neighbours, block.begin, block.rows, gathered);
  return gathered;
}

/// The layer's dropout on rows that are read or written in two bytes, where
/// `in` or `out` is float.
template <typename In, typename Out>
void drop_stored(const detail::Dropout& how, int64_t rows,
                 const RowBlock& block, int64_t dim, const In* in, Out* out) {
  if (how.p == 0) {
    convert(in, block.rows * dim, out);
    return;
  }
  const kernels::DropoutMask mask(how.mask_key(), how.p);
  drop_row_block(mask, how.nodes(rows), block.begin, block.rows, dim, in, out);
}

/// What the gate's backward alone reads and writes of the layer, and h; m, of
/// the type M, the gate and the gradients of blend, logits, h and m are up to
/// the caller. Uses the slots from kFreeSlot + 9 to + 12.
template <typename M>
kernels::GateBackward<float, Bf16, M> stored_gate_job(const GatedBackward& job,
                                                      const RowBlock& block) {
  const int64_t rows = block.rows, begin = block.begin;
  kernels::GateBackward<float, Bf16, M> gate;
  gate.h = row_of<Bf16>(job.h, begin);
  gate.mode = job.mode;
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  gate.logits = widened_rows(kFreeSlot + 9, job.logits, begin, rows);
  gate.prev_gate = widened_rows(kFreeSlot + 10, job.prev_gate, begin, rows);
  gate.grad_gate = widened_rows(kFreeSlot + 11, job.grad_gate, begin, rows);
  gate.grad_prev_gate = job.grad_prev.defined()
                            ? float_scratch(kFreeSlot + 12, rows * gate.gates)
                            : nullptr;
  return gate;
}

}  // namespace ordered_gnn::cpu::bf16
