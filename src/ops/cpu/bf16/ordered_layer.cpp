// Work split: row blocks of about the same cost, as in cpu/ordered_layer.cpp.
// Memory: rows are read and written in two bytes; a block is widened into
// scratch, where it stays in cache between the steps.
// Determinism: blocks follow from the graph, rows are computed independently.
#include "ops/cpu/bf16/ordered_layer.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/gated_layer.h"
#include "ops/cpu/kernels/norm_kernel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

constexpr int64_t kBlockRows = 256;

struct Forward : GatedForward {
  Packed of_h, of_m;  // the two halves of the gate's weight
  at::Tensor norm_weight, norm_bias;
  at::Tensor mean, rstd;
  double eps = 0;
};

template <typename Index>
class ForwardBlock {
 public:
  ForwardBlock(const Forward& job, const RowBlock& block)
      : job_(job),
        block_(block),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        m_(job.m.defined() ? row_of<Bf16>(job.m, block.begin)
                           : bf16_scratch(kFreeSlot, block.rows * dim_)),
        logits_(float_scratch(kFreeSlot + 1, block.rows * gates_)),
        gate_(float_scratch(kFreeSlot + 2, block.rows * gates_)),
        combined_(float_scratch(kFreeSlot + 3, block.rows * dim_)) {}

  void run() {
    sum_block<Bf16, Index>(job_.neighbours, block_.begin, block_.rows, m_);
    make_logits();
    open_and_blend();
    normalize();
  }

 private:
  // Backward starts from the stored ones, and so does the gate.
  void make_logits() {
    const int64_t rows = block_.rows;
    set_rows(job_.gate_bias, rows, gates_, logits_);
    add_product({row_of<Bf16>(job_.h, block_.begin), rows, dim_}, job_.of_h,
                logits_, gates_);
    add_product({m_, rows, dim_}, job_.of_m, logits_, gates_);
    Bf16* const kept = job_.logits.defined()
                           ? row_of<Bf16>(job_.logits, block_.begin)
                           : bf16_scratch(kFreeSlot + 4, rows * gates_);
    ORDERED_GNN_SIMD_CALL(narrow_both(logits_, rows * gates_, kept));
  }

  void open_and_blend() {
    const int64_t rows = block_.rows;
    float* const m = float_scratch(kFreeSlot + 5, rows * dim_);
    ORDERED_GNN_SIMD_CALL(widen(m_, rows * dim_, m));
    kernels::GateForward<float> gate;
    gate.mode = job_.mode;
    gate.logits = logits_;
    gate.prev_gate =
        widened_rows(kFreeSlot + 6, job_.prev_gate, block_.begin, rows);
    gate.h = widened_rows(kFreeSlot + 7, job_.h, block_.begin, rows);
    gate.m = m;
    gate.out = combined_;
    gate.gate = gate_;
    gate.gates = gates_;
    gate.dim = dim_;
    float* const space =
        float_scratch(kFreeSlot + 8, kernels::gate_scratch_size(gates_, dim_));
    ORDERED_GNN_SIMD_CALL(gate_open(gate, 0, rows, space));
    Bf16* const kept = row_of<Bf16>(job_.gate, block_.begin);
    ORDERED_GNN_SIMD_CALL(narrow_both(gate_, rows * gates_, kept));
    ORDERED_GNN_SIMD_CALL(gate_blend(gate, 0, rows, space));
  }

  void normalize() {
    kernels::NormForward<float> norm;
    norm.x = combined_;
    norm.weight = job_.norm_weight.data_ptr<float>();
    norm.bias = job_.norm_bias.data_ptr<float>();
    norm.out = combined_;
    norm.mean = job_.mean.data_ptr<float>() + block_.begin;
    norm.rstd = job_.rstd.data_ptr<float>() + block_.begin;
    norm.dim = dim_;
    norm.eps = job_.eps;
    ORDERED_GNN_SIMD_CALL(norm_forward(norm, 0, block_.rows));
    drop_rows<float>(job_.dropout, job_.rows(), block_, dim_, combined_,
                     combined_);
    narrow_rows(combined_, block_.rows, job_.out, block_.begin);
  }

  const Forward& job_;
  const RowBlock block_;
  const int64_t dim_, gates_;
  Bf16* const m_;
  float *const logits_, *const gate_, *const combined_;
};

Forward forward_job(const detail::OrderedLayerArguments& arguments) {
  const OrderedLayerParameters& parameters = arguments.layer.parameters;
  Forward job;
  set_layer(job, arguments, parameters.gate_weight, parameters.gate_bias);
  const int64_t width = job.h.size(1);
  job.of_h = packed_transposed(parameters.gate_weight.narrow(1, 0, width));
  job.of_m = packed_transposed(parameters.gate_weight.narrow(1, width, width));
  job.norm_weight = parameters.norm_weight.contiguous();
  job.norm_bias = parameters.norm_bias.contiguous();
  job.eps = arguments.layer.eps;
  job.mean = at::empty({job.rows()}, job.norm_weight.options());
  job.rstd = at::empty_like(job.mean);
  if (job.keep) job.logits = core::recycled_like(job.gate);
  return job;
}

}  // namespace

detail::OrderedLayerOutputs ordered_layer(
    const detail::OrderedLayerArguments& arguments) {
  const Forward job = forward_job(arguments);
  const ScaledRows& in = job.neighbours;
  AT_DISPATCH_INDEX_TYPES(in.col.scalar_type(), "ordered_layer", [&] {
    parallel_rows(in.rowptr.data_ptr<int64_t>(), job.rows(),
                  [&](int64_t begin, int64_t end) {
                    ForwardBlock<index_t>(job, {begin, end - begin}).run();
                  },
                  {kLayerRowCost * kBlockRows, kLayerRowCost});
  });
  if (!job.keep) return {job.out, job.gate, {}, {}, {}, {}};
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

}  // namespace ordered_gnn::cpu::bf16
