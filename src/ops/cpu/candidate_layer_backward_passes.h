#pragma once
#include <ATen/Functions.h>

#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/candidate_layer_backward_block.h"
#include "ops/cpu/chunk_shares.h"

// What backward passes of candidate_layer have in common, whatever type its
// rows are stored in.
namespace ordered_gnn::cpu {

/// Calls step(block) on all blocks of all chunks.
template <typename Block, typename Job, typename Step>
void for_undone_blocks(const Job& job, const std::vector<int64_t>& bounds,
                       const Step& step) {
  for_chunks(bounds, [&](int64_t chunk, const RowBlock& rows,
                         const core::ChunkTurn& turn) {
    Block block(job, chunk, rows, turn);
    step(block);
  });
}

/// Takes all blocks back through the layer. A `Block` has the steps of
/// CandidateBackwardBlock.
template <typename Block, typename Job>
void undo_candidate_passes(Job& job, const std::vector<int64_t>& bounds) {
  if (job.norm.pauses()) {
    for_undone_blocks<Block>(job, bounds, [](Block& block) {
      block.restore();
      block.count();
    });
    job.norm.finish(job.h.size(0));
  }
  const bool pause = job.candidate_norm.pauses();
  for_undone_blocks<Block>(job, bounds, [&](Block& block) {
    block.restore();
    block.undo_gate();
    if (pause) {
      block.count_candidate();
    } else {
      block.undo_products();
    }
  });
  if (!pause) return;
  job.candidate_norm.finish(job.h.size(0));
  for_undone_blocks<Block>(job, bounds,
                           [](Block& block) { block.undo_products(); });
}

/// The candidate's norm as forward applied it.
inline NormPass norm_again(const detail::KeptNorm& kept) {
  NormPass norm;
  norm.mode = static_cast<NormMode>(kept.mode);
  if (norm.mode == NormMode::none) return norm;
  norm.weight = detail::packed(kept.weight);
  norm.bias = detail::packed(kept.bias);
  norm.is_known = true;
  norm.statistics = *kept.statistics;
  if (norm.mode != NormMode::layer) norm.set_columns();
  return norm;
}

inline std::vector<int64_t> candidate_chunks(
    const detail::CandidateLayerBackwardArguments& arguments) {
  return chunk_bounds(arguments.lists.rowptr.data_ptr<int64_t>(),
                      arguments.kept.h.size(0), kCandidateRowCost);
}

inline void set_candidate_layer(
    CandidateBackward& job,
    const detail::CandidateLayerBackwardArguments& arguments, int64_t chunks) {
  const detail::KeptCandidateLayer& kept = arguments.kept;
  set_layer(job, arguments);
  job.pre = kept.pre;
  job.candidate_weight = kept.candidate_weight.contiguous();
  job.candidate_again = norm_again(kept.candidate_norm);
  job.candidate_norm = norm_undo(kept.candidate_norm, chunks);
  job.norm = norm_undo(kept.norm, chunks);
  const int64_t width = job.h.size(1), gates = job.gate.size(1);
  const at::TensorOptions options = job.gate_weight.options();
  if (job.candidate_norm.pauses()) job.grad_logits = at::empty_like(job.gate);
  job.gate_weight_shares = zero_shares({chunks, gates, 2 * width}, options);
  job.gate_bias_shares = at::zeros({chunks, gates}, options);
  job.candidate_weight_shares =
      zero_shares({chunks, width, 2 * width}, options);
  job.candidate_bias_shares = at::zeros({chunks, width}, options);
}

/// What all blocks together have left.
inline detail::CandidateRowGradients gradients_of(
    const CandidateBackward& job,
    const detail::CandidateLayerBackwardArguments& arguments) {
  return {job.grad_h,
          job.grad_m,
          grad_of_prev_gate(job, arguments.kept.prev_gate.has_value()),
          sum_of_shares(job.gate_weight_shares),
          job.gate_bias_shares.sum(0),
          sum_of_shares(job.candidate_weight_shares),
          job.candidate_bias_shares.sum(0),
          job.candidate_norm.grad_weight(),
          job.candidate_norm.grad_bias(),
          job.norm.grad_weight(),
          job.norm.grad_bias()};
}

}  // namespace ordered_gnn::cpu
