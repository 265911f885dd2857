// Work split: row blocks of about the same cost, a row costing as much as
// kLayerRowCost edges; the gather of a hub fills a block of its own.
// Memory: a block's aggregate, logits and combined rows stay in cache between
// the steps; what backward needs is written once.
// Determinism: blocks follow from the graph, rows are computed independently.
#include "ops/detail/ordered_layer.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/ordered_layer.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/gated_layer.h"
#include "ops/cpu/kernels/norm_kernel.h"

namespace ordered_gnn::cpu {
namespace {

using detail::OrderedLayerArguments;
using detail::OrderedLayerOutputs;

constexpr int64_t kBlockRows = 256;

struct Forward : GatedForward {
  at::Tensor norm_weight, norm_bias;
  at::Tensor mean, rstd;
  double eps = 0;
};

template <typename T, typename Index>
class ForwardBlock {
 public:
  ForwardBlock(const Forward& job, const RowBlock& block)
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
    normalize();
  }

 private:
  T* rows_of(const at::Tensor& kept, int slot, int64_t columns) const {
    return kept.defined() ? row_of<T>(kept, block_.begin)
                          : scratch_of<T>(slot, block_.rows, columns, job_.h);
  }

  void normalize() {
    T* const out = row_of<T>(job_.out, block_.begin);
    kernels::NormForward<T> norm;
    norm.x = combined_;
    norm.weight = job_.norm_weight.data_ptr<T>();
    norm.bias = job_.norm_bias.data_ptr<T>();
    norm.out = out;
    norm.mean = job_.mean.data_ptr<T>() + block_.begin;
    norm.rstd = job_.rstd.data_ptr<T>() + block_.begin;
    norm.dim = dim_;
    norm.eps = job_.eps;
    ORDERED_GNN_SIMD_CALL(norm_forward(norm, 0, block_.rows));
    drop_rows<T>(job_.dropout, job_.rows(), block_, dim_, out, out);
  }

  const Forward& job_;
  const RowBlock block_;
  const int64_t dim_;
  T *const m_, *const logits_, *const combined_;
};

Forward forward_job(const OrderedLayerArguments& arguments) {
  const OrderedLayerParameters& parameters = arguments.layer.parameters;
  Forward job;
  set_layer(job, arguments, parameters.gate_weight, parameters.gate_bias);
  job.norm_weight = parameters.norm_weight.contiguous();
  job.norm_bias = parameters.norm_bias.contiguous();
  job.eps = arguments.layer.eps;
  const at::TensorOptions options = job.h.options();
  job.mean = at::empty({job.rows()}, options);
  job.rstd = at::empty({job.rows()}, options);
  if (job.keep) job.logits = core::recycled_like(job.gate);
  return job;
}

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments) {
  detail::check_ordered_layer(arguments);
  if (bf16::is_stored_as(arguments.layer.h)) {
    return bf16::ordered_layer(arguments);
  }
  const Forward job = forward_job(arguments);
  const ScaledRows& in = job.neighbours;
  AT_DISPATCH_FLOATING_TYPES(in.h.scalar_type(), "ordered_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(in.col.scalar_type(), "ordered_layer", [&] {
      parallel_rows(
          in.rowptr.data_ptr<int64_t>(), job.rows(),
          [&](int64_t begin, int64_t end) {
            ForwardBlock<scalar_t, index_t>(job, {begin, end - begin}).run();
          },
          {kLayerRowCost * kBlockRows, kLayerRowCost});
    });
  });
  if (!job.keep) return {job.out, job.gate, {}, {}, {}, {}};
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_layer", detail::registered_whole<ordered_layer>);
}

}  // namespace ordered_gnn::cpu
