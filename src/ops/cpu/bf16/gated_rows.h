#pragma once
#include "ops/cpu/bf16/masked_rows.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/gated_layer_backward.h"

// What ordered_layer and candidate_layer have in common on rows in bfloat16.
namespace ordered_gnn::cpu::bf16 {

/// The gate of a block, stored, and as it is stored in scratch. Uses the slots
/// kFreeSlot + 5, + 7 and + 8.
inline kernels::GateForward<float, Bf16, float> open_gate(
    const GatedForward& job, const RowBlock& block, const float* logits) {
  const int64_t rows = block.rows;
  kernels::GateForward<float, Bf16, float> gate;
  gate.mode = job.mode;
  gate.logits = logits;
  gate.prev_gate =
      widened_rows(kFreeSlot + 5, job.prev_gate, block.begin, rows);
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  gate.gate = float_scratch(kFreeSlot + 7, rows * gate.gates);
  float* const space = float_scratch(
      kFreeSlot + 8, kernels::gate_scratch_size(gate.gates, gate.dim));
  ORDERED_GNN_SIMD_CALL(gate_open(gate, 0, rows, space));
  Bf16* const kept = row_of<Bf16>(job.gate, block.begin);
  ORDERED_GNN_SIMD_CALL(narrow_both(gate.gate, rows * gate.gates, kept));
  return gate;
}

/// The same, and the blend of h and m by it. `out` may be `m`.
inline void open_and_blend(const GatedForward& job, const RowBlock& block,
                           const float* logits, const float* m, float* out) {
  auto gate = open_gate(job, block, logits);
  gate.h = row_of<Bf16>(job.h, block.begin);
  gate.m = m;
  gate.out = out;
  float* const space = float_scratch(
      kFreeSlot + 8, kernels::gate_scratch_size(gate.gates, gate.dim));
  ORDERED_GNN_SIMD_CALL(gate_blend(gate, 0, block.rows, space));
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

/// What the gate's backward alone reads and writes of the layer; h, m, the gate
/// and the gradients of blend, gate, logits, h and m are up to the caller. Uses
/// the slots from kFreeSlot + 9 to + 11.
inline kernels::GateBackward<float, Bf16, float> stored_gate_job(
    const GatedBackward& job, const RowBlock& block) {
  const int64_t rows = block.rows, begin = block.begin;
  kernels::GateBackward<float, Bf16, float> gate;
  gate.mode = job.mode;
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  gate.logits = widened_rows(kFreeSlot + 9, job.logits, begin, rows);
  gate.prev_gate = widened_rows(kFreeSlot + 10, job.prev_gate, begin, rows);
  gate.grad_prev_gate = job.grad_prev.defined()
                            ? float_scratch(kFreeSlot + 11, rows * gate.gates)
                            : nullptr;
  return gate;
}

/// What the rows of a block go through behind the gate, as it is stored.
template <typename Rows, typename Job>
Rows blended_rows_job(const Job& job, const RowBlock& block, const Bf16* m) {
  Rows rows;
  rows.rows = block.rows;
  rows.dim = job.h.size(1);
  rows.gates = job.gate.size(1);
  rows.h = row_of<Bf16>(job.h, block.begin);
  rows.m = m;
  rows.gate = row_of<Bf16>(job.gate, block.begin);
  rows.weight = job.norm_weight.template data_ptr<float>();
  rows.mean = job.mean.template data_ptr<float>() + block.begin;
  rows.rstd = job.rstd.template data_ptr<float>() + block.begin;
  return rows;
}

}  // namespace ordered_gnn::cpu::bf16
