#pragma once
#include <vector>

#include "core/recycled_tensor.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/candidate_layer_block.h"
#include "ordered_gnn/core/parallel.h"

// What forward passes of candidate_layer have in common, whatever type its rows
// are stored in.
namespace ordered_gnn::cpu {

/// Sets all but what only one type of rows has.
inline void set_candidate_layer(
    CandidateForward& job, const detail::CandidateLayerArguments& arguments) {
  const detail::CandidateArguments& layer = arguments.layer;
  // It keeps twice the rows of ordered_layer() anyway: time counts for more.
  job.regather_degree = detail::TimeFirst::kDegree;
  set_layer(job, arguments, layer.gate_weight, layer.gate_bias);
  job.candidate_bias = layer.candidate_bias.contiguous();
  job.candidate_norm = norm_pass(layer.candidate_norm, job.h, layer.eps);
  job.norm = norm_pass(layer.norm, job.h, layer.eps);
  // A pause parts the products from what is made of them.
  if (job.keep || job.candidate_norm.pauses()) {
    job.logits = core::recycled_like(job.gate);
    job.pre = core::recycled_like(job.out);
  }
}

/// Bounds of the blocks of a layer with rows.
inline std::vector<int64_t> candidate_blocks(const CandidateForward& job) {
  constexpr int64_t kBlockRows = 256;
  return balanced_blocks(job.neighbours.rowptr.data_ptr<int64_t>(), job.rows(),
                         {kCandidateRowCost * kBlockRows, kCandidateRowCost});
}

/// Calls step(block, index) on all blocks, in parallel.
template <typename Block, typename Job, typename Step>
void for_candidate_blocks(const Job& job, const std::vector<int64_t>& bounds,
                          const Step& step) {
  parallel_blocks(static_cast<int64_t>(bounds.size()) - 1, [&](int64_t index) {
    Block block(job, bounds[index], bounds[index + 1]);
    step(block, index);
  });
}

/// Takes all blocks through the layer. A `Block` computes in T and has the
/// steps of CandidateBlock.
template <typename Block, typename T, typename Job>
void run_candidate_passes(Job& job, const std::vector<int64_t>& bounds,
                          const detail::CandidateArguments& layer) {
  const bool pause = job.candidate_norm.pauses();
  const bool last_pause = job.norm.pauses();
  const ColumnMoments moments(bounds, job.candidate_bias);
  const ColumnMoments last_moments(bounds, job.candidate_bias);
  const auto finish = [&](Block& block, int64_t index) {
    block.combine();
    if (last_pause) {
      last_moments.count<T>(index, block.combined());
    } else {
      block.normalize();
    }
  };
  for_candidate_blocks<Block>(job, bounds, [&](Block& block, int64_t index) {
    block.multiply();
    if (pause) {
      moments.count<T>(index, block.pre());
    } else {
      finish(block, index);
    }
  });
  if (pause) {
    moments.finish(job.candidate_norm, layer.candidate_norm, layer.momentum);
    for_candidate_blocks<Block>(job, bounds, finish);
  }
  if (!last_pause) return;
  last_moments.finish(job.norm, layer.norm, layer.momentum);
  for_candidate_blocks<Block>(job, bounds,
                              [](Block& block, int64_t) { block.normalize(); });
}

inline detail::CandidateLayerOutputs outputs_of(const CandidateForward& job) {
  if (!job.keep) return {job.out, job.gate, {}, {}, {}, {}, {}};
  return {job.out,
          job.gate,
          job.m,
          job.logits,
          job.pre,
          job.candidate_norm.statistics,
          job.norm.statistics};
}

}  // namespace ordered_gnn::cpu
