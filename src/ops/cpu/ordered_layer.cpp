// Work split: row blocks of about the same cost, a row costing as much as
// kLayerRowCost edges; the gather of a hub fills a block of its own.
// Memory: a block's aggregate, logits and combined rows stay in cache between
// the steps; what backward needs is written once.
// Determinism: blocks follow from the graph, rows are computed independently.
#include "ops/detail/ordered_layer.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <algorithm>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ops/cpu/row_sum.h"
#include "ops/cpu/scratch.h"

namespace ordered_gnn::cpu {
namespace {

using detail::OrderedLayerArguments;
using detail::OrderedLayerOutputs;

constexpr int64_t kBlockRows = 256;
constexpr int64_t kRegatherDegree = 10;

struct Forward {
  ScaledRows neighbours;
  at::Tensor h, prev_gate;
  at::Tensor weight_rows;  // [2 D, G], the transposed gate weight
  at::Tensor gate_bias, norm_weight, norm_bias;
  at::Tensor out, gate, m, logits, mean, rstd;
  kernels::GateMode mode;
  double eps;
  detail::Dropout dropout;
  bool keep;
};

// All of a block's rows are numbered from its first row: the kernels get
// pointers to it and the range [0, rows).
template <typename T, typename Index>
class ForwardBlock {
 public:
  ForwardBlock(const Forward& job, int64_t begin, int64_t end)
      : job_(job), begin_(begin), rows_(end - begin), dim_(job.h.size(1)) {
    m_ = job.m.defined() ? job.m.narrow(0, begin, rows_)
                         : scratch_rows(0, rows_, dim_, job.h.options());
    logits_ = job.keep
                  ? job.logits.narrow(0, begin, rows_)
                  : scratch_rows(1, rows_, job.gate.size(1), job.h.options());
    combined_ = scratch_rows(2, rows_, dim_, job.h.options());
  }

  void run() {
    aggregate();
    multiply();
    combine();
    normalize();
  }

 private:
  void aggregate() {
    sum_block<T, Index>(job_.neighbours, begin_, rows_,
                        m_.template data_ptr<T>());
  }

  void multiply() {
    const int64_t gates = job_.gate.size(1);
    const T* const bias = job_.gate_bias.data_ptr<T>();
    T* const logits = logits_.template data_ptr<T>();
    for (int64_t r = 0; r < rows_; ++r) {
      std::copy(bias, bias + gates, logits + r * gates);
    }
    kernels::Product<T> product;
    product.rows = rows_;
    product.columns = product.b_row = product.c_row = gates;
    product.depth = product.a_row = dim_;
    product.a_depth = 1;
    product.a = row_of<T>(job_.h, begin_);
    product.b = job_.weight_rows.data_ptr<T>();
    product.c = logits;
    ORDERED_GNN_SIMD_CALL(add_product(product));
    product.a = m_.template data_ptr<T>();
    product.b += dim_ * gates;
    ORDERED_GNN_SIMD_CALL(add_product(product));
  }

  void combine() {
    kernels::GateForward<T> gate;
    gate.mode = job_.mode;
    gate.logits = logits_.template data_ptr<T>();
    gate.prev_gate = row_of<T>(job_.prev_gate, begin_);
    gate.h = row_of<T>(job_.h, begin_);
    gate.m = m_.template data_ptr<T>();
    gate.out = combined_.template data_ptr<T>();
    gate.gate = row_of<T>(job_.gate, begin_);
    gate.gates = job_.gate.size(1);
    gate.dim = dim_;
    const at::Tensor scratch = scratch_rows(
        3, 1, kernels::gate_scratch_size(gate.gates, dim_), job_.h.options());
    T* const space = scratch.data_ptr<T>();
    ORDERED_GNN_SIMD_CALL(gate_forward(gate, 0, rows_, space));
  }

  void normalize() {
    T* const out = row_of<T>(job_.out, begin_);
    kernels::NormForward<T> norm;
    norm.x = combined_.template data_ptr<T>();
    norm.weight = job_.norm_weight.data_ptr<T>();
    norm.bias = job_.norm_bias.data_ptr<T>();
    norm.out = out;
    norm.mean = job_.mean.data_ptr<T>() + begin_;
    norm.rstd = job_.rstd.data_ptr<T>() + begin_;
    norm.dim = dim_;
    norm.eps = job_.eps;
    ORDERED_GNN_SIMD_CALL(norm_forward(norm, 0, rows_));
    if (job_.dropout.p == 0) return;
    const kernels::DropoutMask mask(job_.dropout.mask_key(), job_.dropout.p);
    ORDERED_GNN_SIMD_CALL(dropout(mask, out, out, begin_ * dim_, rows_ * dim_));
  }

  const Forward& job_;
  const int64_t begin_, rows_, dim_;
  at::Tensor m_, logits_, combined_;
};

void allocate(Forward& job) {
  const int64_t rows = job.h.size(0);
  const int64_t width = job.h.size(1);
  const int64_t gates = job.weight_rows.size(1);
  const at::TensorOptions options = job.h.options();
  job.out = at::empty({rows, width}, options);
  job.gate = at::empty({rows, gates}, options);
  job.mean = at::empty({rows}, options);
  job.rstd = at::empty({rows}, options);
  // With few neighbours m is gathered again in backward for less than what
  // writing and reading it would cost, and takes no memory.
  const bool keep_m =
      job.keep && job.neighbours.col.numel() > kRegatherDegree * rows;
  job.m = keep_m ? at::empty({rows, width}, options) : at::Tensor();
  job.logits = job.keep ? at::empty({rows, gates}, options) : at::Tensor();
}

Forward forward_job(const OrderedLayerArguments& arguments) {
  const detail::ScaledLists& lists = arguments.lists;
  const detail::LayerArguments& layer = arguments.layer;
  Forward job;
  job.h = layer.h.contiguous();
  job.neighbours = {lists.rowptr, lists.col, detail::packed(lists.row_scale),
                    detail::packed(lists.col_scale), job.h};
  job.prev_gate = detail::packed(layer.prev_gate);
  job.weight_rows = layer.parameters.gate_weight.t().contiguous();
  job.gate_bias = layer.parameters.gate_bias.contiguous();
  job.norm_weight = layer.parameters.norm_weight.contiguous();
  job.norm_bias = layer.parameters.norm_bias.contiguous();
  job.mode = static_cast<kernels::GateMode>(layer.mode);
  job.eps = layer.eps;
  job.dropout = layer.dropout;
  job.keep = arguments.keep;
  allocate(job);
  return job;
}

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments) {
  detail::check_ordered_layer(arguments);
  const Forward job = forward_job(arguments);
  const ScaledRows& in = job.neighbours;
  AT_DISPATCH_FLOATING_TYPES(in.h.scalar_type(), "ordered_layer", [&] {
    AT_DISPATCH_INDEX_TYPES(in.col.scalar_type(), "ordered_layer", [&] {
      parallel_rows(in.rowptr.data_ptr<int64_t>(), in.h.size(0),
                    [&](int64_t begin, int64_t end) {
                      ForwardBlock<scalar_t, index_t>(job, begin, end).run();
                    },
                    {kLayerRowCost * kBlockRows, kLayerRowCost});
    });
  });
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_layer", detail::registered<ordered_layer>);
}

}  // namespace ordered_gnn::cpu
