#pragma once
#include <ATen/Functions.h>

#include <limits>

#include "core/recycled_tensor.h"
#include "core/run_blocks.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/gated_layer.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/detail/ordered_layer.h"
#include "ordered_gnn/core/parallel.h"

// What forward passes of ordered_layer have in common, whatever type its rows
// are stored in.
namespace ordered_gnn::cpu {

/// One forward pass of the layer; tensors are contiguous.
struct OrderedForward : GatedForward {
  at::Tensor norm_weight, norm_bias;
  at::Tensor mean, rstd;
  double eps = 0;
};

inline void set_ordered_layer(OrderedForward& job,
                              const detail::OrderedLayerArguments& arguments) {
  const OrderedLayerParameters& parameters = arguments.layer.parameters;
  set_layer(job, arguments, parameters.gate_weight, parameters.gate_bias);
  job.norm_weight = parameters.norm_weight.contiguous();
  job.norm_bias = parameters.norm_bias.contiguous();
  job.eps = arguments.layer.eps;
  job.mean = at::empty({job.rows()}, job.norm_weight.options());
  job.rstd = at::empty_like(job.mean);
  if (job.keep) job.logits = core::recycled_like(job.gate);
}

/// Normalizes the combined rows of a block. `out` may be `combined`.
template <typename T>
void normalize_rows(const OrderedForward& job, const RowBlock& block,
                    const T* combined, T* out) {
  kernels::NormForward<T> norm;
  norm.x = combined;
  norm.weight = job.norm_weight.data_ptr<T>();
  norm.bias = job.norm_bias.data_ptr<T>();
  norm.out = out;
  norm.mean = job.mean.data_ptr<T>() + block.begin;
  norm.rstd = job.rstd.data_ptr<T>() + block.begin;
  norm.dim = job.h.size(1);
  norm.eps = job.eps;
  ORDERED_GNN_SIMD_CALL(norm_forward(norm, 0, block.rows));
}

/// The same, and drops them.
template <typename T>
void normalize_block(const OrderedForward& job, const RowBlock& block,
                     const T* combined, T* out) {
  normalize_rows(job, block, combined, out);
  drop_rows<T>(job.dropout, job.rows(), block, job.h.size(1), out, out);
}

/// Rows of a block, about: every block reads the gate's weight again, but the
/// last ones keep many threads waiting. Rows are computed independently: their
/// bits are the same in blocks of any size.
inline int64_t layer_block_rows() {
  constexpr int kFewThreads = 4;
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
  return core::threads_for(kMany) > kFewThreads ? 128 : 256;
}

/// Calls run(block) for all blocks of the layer's rows, in parallel.
template <typename Run>
void for_layer_blocks(const OrderedForward& job, const Run& run) {
  parallel_rows(job.neighbours.rowptr.data_ptr<int64_t>(), job.rows(),
                [&](int64_t begin, int64_t end) {
                  run(RowBlock{begin, end - begin});
                },
                {kLayerRowCost * layer_block_rows(), kLayerRowCost});
}

inline detail::OrderedLayerOutputs outputs_of(const OrderedForward& job) {
  if (!job.keep) return {job.out, job.gate, {}, {}, {}, {}};
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

}  // namespace ordered_gnn::cpu
