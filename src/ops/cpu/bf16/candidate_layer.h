#pragma once
#include "ops/detail/candidate_layer.h"

// candidate_layer() on rows in bfloat16. Stored, and so rounded, are states,
// sums over neighbours, logits, rows before the candidate's norm, gates and the
// gradients of all of them; what a norm over a batch waits for is rounded too.
// A block of rows is computed in float in between.
namespace ordered_gnn::cpu::bf16 {

detail::CandidateLayerOutputs candidate_layer(
    const detail::CandidateLayerArguments& arguments);

detail::CandidateRowGradients candidate_layer_rows_backward(
    const detail::CandidateLayerBackwardArguments& arguments);

}  // namespace ordered_gnn::cpu::bf16
