// Work split: blocks of rows; those of a chunk take turns in adding to its
// shares of the parameters' gradients. A second pass over the transposed lists
// hands the aggregate's gradient to the neighbours.
// Memory: combined rows and masks are computed again in cache; one [N, D]
// buffer holds the gradient of the aggregate between the passes.
// Determinism: chunks follow from the graph, blocks are added to them and they
// to each other in order.
#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "ops/cpu/bf16/ordered_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/ordered_layer_backward_block.h"
#include "ops/cpu/transposed_sum.h"
#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::cpu {
namespace {

detail::OrderedRowGradients ordered_layer_rows_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  // LibTorch's threads would look for more work while ours have some.
  const ThreadScope serial_torch;
  if (bf16::is_stored_as(arguments.kept.h)) {
    return bf16::ordered_layer_rows_backward(arguments);
  }
  Backward job;
  set_ordered_layer(job, arguments);
  detail::OrderedRowGradients gradients;
  AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "ordered_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(
        job.neighbours.col.scalar_type(), "ordered_layer", [&] {
          gradients = undo_chunks(
              job, arguments.kept.prev_gate.has_value(),
              [&](const Shares& shares, int64_t chunk, const RowBlock& block,
                  const core::ChunkTurn& turn) {
                BackwardBlock<scalar_t, index_t>(job, shares, chunk, block,
                                                 turn)
                    .run();
              });
        });
  });
  return gradients;
}

detail::OrderedLayerGradients ordered_layer_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  const ThreadScope serial_torch;
  auto [h, m, prev_gate, weight, bias, norm_weight, norm_bias] =
      cpu::ordered_layer_rows_backward(arguments);
  add_transposed_sum(arguments.lists, m, h);
  return {h, prev_gate, weight, bias, norm_weight, norm_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_layer_backward",
         detail::registered_whole<ordered_layer_backward>);
  m.impl("ordered_layer_backward_", detail::registered<ordered_layer_backward>);
  m.impl("ordered_layer_rows_backward",
         detail::registered<ordered_layer_rows_backward>);
}

}  // namespace ordered_gnn::cpu
