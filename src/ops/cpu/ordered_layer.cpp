// Work split: row blocks of about the same cost, a row costing as much as
// kLayerRowCost edges; the gather of a hub fills a block of its own.
// Memory: a block's aggregate, logits and combined rows stay in cache between
// the steps; what backward needs is written once.
// Determinism: rows are computed independently, whatever the blocks.
#include "ops/detail/ordered_layer.h"

#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "ops/cpu/bf16/ordered_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/ordered_layer_forward.h"

namespace ordered_gnn::cpu {
namespace {

using detail::OrderedLayerArguments;
using detail::OrderedLayerOutputs;

template <typename T, typename Index>
class ForwardBlock {
 public:
  ForwardBlock(const OrderedForward& job, const RowBlock& block)
      : job_(job),
        block_(block),
        dim_(job.h.size(1)),
        m_(rows_of(job.m, 0, dim_)),
        logits_(rows_of(job.logits, 1, job.gate.size(1))),
        combined_(scratch_of<T>(2, block.rows, dim_, job.h)) {}

  void run() {
    sum_block<T, Index>(job_.neighbours, block_.begin, block_.rows, m_);
    fill_rows(job_.gate_bias, block_.rows, logits_);
    const T* const h = row_of<T>(job_.h, block_.begin);
    add_half(h, block_.rows, job_.gate_rows, 0, logits_);
    add_half<T>(m_, block_.rows, job_.gate_rows, dim_, logits_);
    combine_rows<T>(
        job_, block_, logits_, m_, combined_,
        scratch_of<T>(3, 1, kernels::gate_scratch_size(job_.gate.size(1), dim_),
                      job_.h));
    normalize_block<T>(job_, block_, combined_,
                       row_of<T>(job_.out, block_.begin));
  }

 private:
  T* rows_of(const at::Tensor& kept, int slot, int64_t columns) const {
    return kept.defined() ? row_of<T>(kept, block_.begin)
                          : scratch_of<T>(slot, block_.rows, columns, job_.h);
  }

  const OrderedForward& job_;
  const RowBlock block_;
  const int64_t dim_;
  T *const m_, *const logits_, *const combined_;
};

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments) {
  detail::check_ordered_layer(arguments);
  if (bf16::is_stored_as(arguments.layer.h)) {
    return bf16::ordered_layer(arguments);
  }
  OrderedForward job;
  set_ordered_layer(job, arguments);
  const at::Tensor& senders = job.neighbours.col;
  AT_DISPATCH_FLOATING_TYPES(job.h.scalar_type(), "ordered_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(senders.scalar_type(), "ordered_layer", [&] {
      for_layer_blocks(job, [&](const RowBlock& block) {
        ForwardBlock<scalar_t, index_t>(job, block).run();
      });
    });
  });
  return outputs_of(job);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_layer", detail::registered_whole<ordered_layer>);
}

}  // namespace ordered_gnn::cpu
