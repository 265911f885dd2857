// Work split: chunks of rows of about the same cost; a chunk walks through its
// blocks and sums their share of the parameters' gradients. A second pass over
// the transposed lists hands the aggregate's gradient to the neighbours.
// Memory: candidates, blends and masks are computed again in cache; one [N, D]
// buffer holds the gradient of the aggregate between the passes, and before
// that the candidate's where its norm pauses.
// Determinism: chunks follow from the graph and are added in order.
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/candidate_layer_backward_block.h"
#include "ops/cpu/transposed_sum.h"
#include "ops/detail/candidate_layer.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CandidateLayerBackwardArguments;

// Calls step(block) on all blocks of all chunks; those of a chunk in order.
template <typename T, typename Index, typename Step>
void for_blocks(const CandidateBackward& job,
                const std::vector<int64_t>& bounds, const Step& step) {
  for_chunks(bounds, [&](int64_t chunk, const RowBlock& rows) {
    CandidateBackwardBlock<T, Index> block(job, chunk, rows);
    step(block);
  });
}

template <typename T, typename Index>
void undo_passes(CandidateBackward& job, const std::vector<int64_t>& bounds) {
  using Block = CandidateBackwardBlock<T, Index>;
  if (job.norm.pauses()) {
    for_blocks<T, Index>(job, bounds, [](Block& block) {
      block.restore();
      block.count();
    });
    job.norm.finish(job.h.size(0));
  }
  const bool pause = job.candidate_norm.pauses();
  for_blocks<T, Index>(job, bounds, [&](Block& block) {
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
  for_blocks<T, Index>(job, bounds,
                       [](Block& block) { block.undo_products(); });
}

// The candidate's norm as forward applied it.
NormPass norm_again(const detail::KeptNorm& kept) {
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

void allocate_gradients(CandidateBackward& job, int64_t chunks) {
  const int64_t width = job.h.size(1);
  const int64_t gates = job.gate.size(1);
  const at::TensorOptions options = job.h.options();
  if (job.candidate_norm.pauses()) job.grad_logits = at::empty_like(job.gate);
  job.gate_weight_shares = at::zeros({chunks, gates, 2 * width}, options);
  job.gate_bias_shares = at::zeros({chunks, gates}, options);
  job.candidate_weight_shares = at::zeros({chunks, width, 2 * width}, options);
  job.candidate_bias_shares = at::zeros({chunks, width}, options);
}

CandidateBackward backward_job(const CandidateLayerBackwardArguments& arguments,
                               int64_t chunks) {
  const detail::KeptCandidateLayer& kept = arguments.kept;
  CandidateBackward job;
  set_layer(job, arguments);
  job.pre = kept.pre;
  job.candidate_weight = kept.candidate_weight.contiguous();
  job.candidate_again = norm_again(kept.candidate_norm);
  job.candidate_norm = norm_undo(kept.candidate_norm, job.h, chunks);
  job.norm = norm_undo(kept.norm, job.h, chunks);
  allocate_gradients(job, chunks);
  return job;
}

detail::CandidateRowGradients candidate_layer_rows_backward(
    const CandidateLayerBackwardArguments& arguments) {
  // LibTorch's threads would look for more work while ours have some.
  const ThreadScope serial_torch;
  const std::vector<int64_t> bounds =
      chunk_bounds(arguments.lists.rowptr.data_ptr<int64_t>(),
                   arguments.kept.h.size(0), kCandidateRowCost);
  CandidateBackward job =
      backward_job(arguments, static_cast<int64_t>(bounds.size()) - 1);
  AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "candidate_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(
        job.neighbours.col.scalar_type(), "candidate_layer",
        [&] { undo_passes<scalar_t, index_t>(job, bounds); });
  });
  return {job.grad_h,
          job.grad_m,
          grad_of_prev_gate(job, arguments.kept.prev_gate.has_value()),
          job.gate_weight_shares.sum(0),
          job.gate_bias_shares.sum(0),
          job.candidate_weight_shares.sum(0),
          job.candidate_bias_shares.sum(0),
          job.candidate_norm.grad_weight(),
          job.candidate_norm.grad_bias(),
          job.norm.grad_weight(),
          job.norm.grad_bias()};
}

detail::CandidateLayerGradients candidate_layer_backward(
    const CandidateLayerBackwardArguments& arguments) {
  const ThreadScope serial_torch;
  auto [h, m, prev_gate, gate_weight, gate_bias, candidate_weight,
        candidate_bias, candidate_norm_weight, candidate_norm_bias, norm_weight,
        norm_bias] = cpu::candidate_layer_rows_backward(arguments);
  add_transposed_sum(arguments.lists, m, h);
  return {h,
          prev_gate,
          gate_weight,
          gate_bias,
          candidate_weight,
          candidate_bias,
          candidate_norm_weight,
          candidate_norm_bias,
          norm_weight,
          norm_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("candidate_layer_backward",
         detail::registered_whole<candidate_layer_backward>);
  m.impl("candidate_layer_backward_",
         detail::registered<candidate_layer_backward>);
  m.impl("candidate_layer_rows_backward",
         detail::registered<candidate_layer_rows_backward>);
}

}  // namespace ordered_gnn::cpu
