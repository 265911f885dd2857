// Work split: row blocks of about the same cost, a row costing as much as
// kCandidateRowCost edges.
// Memory: a block's rows stay in cache between the steps; what backward needs
// is written once. A norm over a batch makes one more pass over what it
// normalises.
// Determinism: blocks follow from the graph, rows are computed independently,
// statistics of blocks are put together in order.
#include "ops/detail/candidate_layer.h"

#include <ATen/Dispatch.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/bf16/candidate_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/candidate_layer_passes.h"
#include "ops/cpu/gemm.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CandidateLayerArguments;
using detail::CandidateLayerOutputs;

CandidateLayerOutputs candidate_layer(
    const CandidateLayerArguments& arguments) {
  detail::check_candidate_layer(arguments);
  if (bf16::is_stored_as(arguments.layer.h)) {
    return bf16::candidate_layer(arguments);
  }
  CandidateForward job;
  set_candidate_layer(job, arguments);
  job.candidate_rows = transposed(arguments.layer.candidate_weight);
  if (job.rows() > 0) {
    const std::vector<int64_t> bounds = candidate_blocks(job);
    AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "candidate_layer", [&] {
      AT_DISPATCH_INDEX_TYPES(
          job.neighbours.col.scalar_type(), "candidate_layer", [&] {
            run_candidate_passes<CandidateBlock<scalar_t, index_t>, scalar_t>(
                job, bounds, arguments.layer);
          });
    });
  }
  return outputs_of(job);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("candidate_layer", detail::registered_whole<candidate_layer>);
}

}  // namespace ordered_gnn::cpu
