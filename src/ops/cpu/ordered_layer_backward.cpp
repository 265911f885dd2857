// Work split: chunks of rows of about the same cost; a chunk walks through its
// blocks and sums their share of the parameters' gradients. A second pass over
// the transposed lists hands the aggregate's gradient to the neighbours.
// Memory: combined rows and masks are computed again in cache; one [N, D]
// buffer holds the gradient of the aggregate between the passes.
// Determinism: chunks follow from the graph and are added in order.
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/ordered_layer_backward_block.h"
#include "ops/cpu/transposed_sum.h"
#include "ops/detail/ordered_layer.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kBlockRows = 128;

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
          parallel_blocks(chunks, [&](int64_t chunk) {
            const int64_t last = bounds[chunk + 1];
            for (int64_t begin = bounds[chunk]; begin < last;
                 begin += kBlockRows) {
              const int64_t end = std::min(last, begin + kBlockRows);
              BackwardBlock<scalar_t, index_t>(job, shares, chunk, begin, end)
                  .run();
            }
          });
        });
  });
  return shares;
}

Backward backward_job(const detail::OrderedLayerBackwardArguments& arguments) {
  const detail::ScaledLists& lists = arguments.lists;
  const detail::KeptLayer& kept = arguments.kept;
  Backward job;
  job.mode = static_cast<kernels::GateMode>(kept.mode);
  job.h = kept.h.contiguous();
  job.neighbours = {lists.rowptr, lists.col, detail::packed(lists.row_scale),
                    detail::packed(lists.col_scale), job.h};
  job.prev_gate = detail::packed(kept.prev_gate);
  job.gate = kept.gate;
  job.m = detail::value_or_undefined(kept.m);
  job.logits = kept.logits;
  job.mean = kept.mean;
  job.rstd = kept.rstd;
  job.gate_weight = kept.gate_weight.contiguous();
  job.norm_weight = kept.norm_weight.contiguous();
  job.grad_out = arguments.grad_out.contiguous();
  job.grad_gate = detail::packed(arguments.grad_gate);
  job.grad_h = at::empty_like(job.h);
  job.grad_m = at::empty_like(job.h);
  if (job.mode == kernels::GateMode::softor) {
    job.grad_prev = at::empty_like(job.gate);
  }
  job.dropout = kept.dropout;
  return job;
}

detail::OrderedLayerGradients ordered_layer_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  Backward job = backward_job(arguments);
  const Shares shares = run_chunks(job);
  add_transposed_sum(arguments.lists, job.grad_m, job.grad_h);
  if (!job.grad_prev.defined() && arguments.kept.prev_gate.has_value()) {
    job.grad_prev = at::zeros_like(job.gate);
  }
  return {job.grad_h,
          job.grad_prev,
          shares.gate_weight.sum(0),
          shares.gate_bias.sum(0),
          shares.norm_weight.sum(0),
          shares.norm_bias.sum(0)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_layer_backward", detail::registered<ordered_layer_backward>);
}

}  // namespace ordered_gnn::cpu
