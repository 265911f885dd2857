#pragma once
#include "ops/detail/ordered_layer.h"

// ordered_layer() on rows in bfloat16. Stored, and so rounded, are states, sums
// over neighbours, logits, gates and the gradients of all of them; a block of
// rows is computed in float in between.
namespace ordered_gnn::cpu::bf16 {

detail::OrderedLayerOutputs ordered_layer(
    const detail::OrderedLayerArguments& arguments);

detail::OrderedRowGradients ordered_layer_rows_backward(
    const detail::OrderedLayerBackwardArguments& arguments);

}  // namespace ordered_gnn::cpu::bf16
