// Work split: chunks of rows of about the same cost; a chunk walks through its
// blocks and sums their share of the parameters' gradients. A second pass over
// the transposed lists hands the aggregate's gradient to the neighbours.
// Memory: combined rows and masks are computed again in cache; one [N, D]
// buffer holds the gradient of the aggregate between the passes.
// Determinism: chunks follow from the graph and are added in order.
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/bf16/ordered_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/ordered_layer_backward_block.h"
#include "ops/cpu/transposed_sum.h"
#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::cpu {
namespace {

Shares run_chunks(const Backward& job) {
  const std::vector<int64_t> bounds = chunk_bounds(
      job.neighbours.rowptr.data_ptr<int64_t>(), job.h.size(0), kLayerRowCost);
  const auto chunks = static_cast<int64_t>(bounds.size()) - 1;
  const int64_t width = job.h.size(1);
  const int64_t gates = job.gate.size(1);
  const Shares shares{at::zeros({chunks, gates, 2 * width}, job.h.options()),
                      at::zeros({chunks, gates}, job.h.options()),
                      at::zeros({chunks, width}, job.h.options()),
                      at::zeros({chunks, width}, job.h.options())};
  AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "ordered_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(
        job.neighbours.col.scalar_type(), "ordered_layer", [&] {
          for_chunks(bounds, [&](int64_t chunk, const RowBlock& block) {
            BackwardBlock<scalar_t, index_t>(job, shares, chunk, block).run();
          });
        });
  });
  return shares;
}

Backward backward_job(const detail::OrderedLayerBackwardArguments& arguments) {
  Backward job;
  set_layer(job, arguments);
  job.mean = arguments.kept.mean;
  job.rstd = arguments.kept.rstd;
  job.norm_weight = arguments.kept.norm_weight.contiguous();
  return job;
}

detail::OrderedRowGradients ordered_layer_rows_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  // LibTorch's threads would look for more work while ours have some.
  const ThreadScope serial_torch;
  if (bf16::is_stored_as(arguments.kept.h)) {
    return bf16::ordered_layer_rows_backward(arguments);
  }
  const Backward job = backward_job(arguments);
  const Shares shares = run_chunks(job);
  return {job.grad_h,
          job.grad_m,
          grad_of_prev_gate(job, arguments.kept.prev_gate.has_value()),
          shares.gate_weight.sum(0),
          shares.gate_bias.sum(0),
          shares.norm_weight.sum(0),
          shares.norm_bias.sum(0)};
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
