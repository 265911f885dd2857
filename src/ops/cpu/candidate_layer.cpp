// Work split: row blocks of about the same cost, a row costing as much as
// kCandidateRowCost edges.
// Memory: a block's rows stay in cache between the steps; what backward needs
// is written once. A norm over a batch makes one more pass over what it
// normalises.
// Determinism: blocks follow from the graph, rows are computed independently,
// statistics of blocks are put together in order.
#include "ops/detail/candidate_layer.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <vector>

#include "core/recycled_tensor.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/candidate_layer_block.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CandidateLayerArguments;
using detail::CandidateLayerOutputs;

constexpr int64_t kBlockRows = 256;

CandidateForward forward_job(const CandidateLayerArguments& arguments) {
  const detail::CandidateArguments& layer = arguments.layer;
  CandidateForward job;
  set_layer(job, arguments, layer.gate_weight, layer.gate_bias);
  job.candidate_rows = layer.candidate_weight.t().contiguous();
  job.candidate_bias = layer.candidate_bias.contiguous();
  job.candidate_norm = norm_pass(layer.candidate_norm, job.h, layer.eps);
  job.norm = norm_pass(layer.norm, job.h, layer.eps);
  // A pause parts the products from what is made of them.
  if (job.keep || job.candidate_norm.pauses()) {
    job.logits = core::recycled_like(job.gate);
    job.pre = core::recycled_like(job.out);
  }
  return job;
}

// Calls step(block, index) on all blocks, in parallel.
template <typename T, typename Index, typename Step>
void for_blocks(const CandidateForward& job, const std::vector<int64_t>& bounds,
                const Step& step) {
  parallel_blocks(static_cast<int64_t>(bounds.size()) - 1, [&](int64_t index) {
    CandidateBlock<T, Index> block(job, bounds[index], bounds[index + 1]);
    step(block, index);
  });
}

template <typename T, typename Index>
void run_passes(CandidateForward& job, const std::vector<int64_t>& bounds,
                const detail::CandidateArguments& layer) {
  using Block = CandidateBlock<T, Index>;
  const bool pause = job.candidate_norm.pauses();
  const bool last_pause = job.norm.pauses();
  const ColumnMoments moments(bounds, job.h), last_moments(bounds, job.h);
  const auto finish = [&](Block& block, int64_t index) {
    block.combine();
    if (last_pause) {
      last_moments.count<T>(index, block.combined());
    } else {
      block.normalize();
    }
  };
  for_blocks<T, Index>(job, bounds, [&](Block& block, int64_t index) {
    block.multiply();
    if (pause) {
      moments.count<T>(index, block.pre());
    } else {
      finish(block, index);
    }
  });
  if (pause) {
    moments.finish(job.candidate_norm, layer.candidate_norm, layer.momentum);
    for_blocks<T, Index>(job, bounds, finish);
  }
  if (!last_pause) return;
  last_moments.finish(job.norm, layer.norm, layer.momentum);
  for_blocks<T, Index>(job, bounds,
                       [](Block& block, int64_t) { block.normalize(); });
}

CandidateLayerOutputs candidate_layer(
    const CandidateLayerArguments& arguments) {
  detail::check_candidate_layer(arguments);
  CandidateForward job = forward_job(arguments);
  if (job.rows() > 0) {
    const std::vector<int64_t> bounds =
        balanced_blocks(job.neighbours.rowptr.data_ptr<int64_t>(), job.rows(),
                        {kCandidateRowCost * kBlockRows, kCandidateRowCost});
    AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "candidate_layer", [&] {
      AT_DISPATCH_INDEX_TYPES(
          job.neighbours.col.scalar_type(), "candidate_layer",
          [&] { run_passes<scalar_t, index_t>(job, bounds, arguments.layer); });
    });
  }
  if (!job.keep) return {job.out, job.gate, {}, {}, {}, {}, {}};
  return {job.out,
          job.gate,
          job.m,
          job.logits,
          job.pre,
          job.candidate_norm.statistics,
          job.norm.statistics};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("candidate_layer", detail::registered_whole<candidate_layer>);
}

}  // namespace ordered_gnn::cpu
