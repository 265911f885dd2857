// Work split: blocks of rows; those of a chunk take turns in adding to its
// shares of the parameters' gradients. A second pass over the transposed lists
// hands the aggregate's gradient to the neighbours.
// Memory: candidates, blends and masks are computed again in cache; one [N, D]
// buffer holds the gradient of the aggregate between the passes, and before
// that the candidate's where its norm pauses.
// Determinism: chunks follow from the graph, blocks are added to them and they
// to each other in order.
#include <ATen/Dispatch.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/bf16/candidate_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/candidate_layer_backward_passes.h"
#include "ops/cpu/transposed_sum.h"
#include "ops/detail/candidate_layer.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CandidateLayerBackwardArguments;

detail::CandidateRowGradients candidate_layer_rows_backward(
    const CandidateLayerBackwardArguments& arguments) {
  // LibTorch's threads would look for more work while ours have some.
  const ThreadScope serial_torch;
  if (bf16::is_stored_as(arguments.kept.h)) {
    return bf16::candidate_layer_rows_backward(arguments);
  }
  const std::vector<int64_t> bounds = candidate_chunks(arguments);
  CandidateBackward job;
  set_candidate_layer(job, arguments, static_cast<int64_t>(bounds.size()) - 1);
  AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "candidate_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(
        job.neighbours.col.scalar_type(), "candidate_layer", [&] {
          undo_candidate_passes<CandidateBackwardBlock<scalar_t, index_t>>(
              job, bounds);
        });
  });
  return gradients_of(job, arguments);
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
