// Work split: row blocks of about the same cost, as in cpu/ordered_layer.cpp.
// Memory: rows are read and written in two bytes; what is between the steps of
// a piece of them stays in cache, gates as floats.
// Determinism: rows are computed independently, whatever the blocks.
#include "ops/cpu/bf16/ordered_layer.h"

#include <ATen/Dispatch.h>

#include "ops/cpu/bf16/gated_rows.h"
#include "ops/cpu/bf16/pieces.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/ordered_layer_forward.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

struct Forward : OrderedForward {
  Packed of_h, of_m;  // the two halves of the gate's weight
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
        logits_(float_scratch(kFreeSlot + 1, block.rows * gates_)) {}

  void run() {
    sum_block<Bf16, Index>(job_.neighbours, block_.begin, block_.rows, m_);
    make_logits();
    open_gate(job_, block_, logits_);
    finish();
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

  // Blend, norm and dropout.
  void finish() {
    auto rows = blended_rows_job<kernels::BlendedRowsForward>(job_, block_, m_);
    rows.bias = job_.norm_bias.data_ptr<float>();
    rows.eps = job_.eps;
    rows.out = row_of<Bf16>(job_.out, block_.begin);
    float* const space = normed_rows_scratch(kFreeSlot + 3, dim_);
    with_mask(job_.dropout, job_.rows(), block_.begin, rows,
              [&](const auto& job) {
                ORDERED_GNN_SIMD_CALL(normed_rows_forward(job, space));
              });
  }

  const Forward& job_;
  const RowBlock block_;
  const int64_t dim_, gates_;
  Bf16* const m_;
  float* const logits_;
};

Forward forward_job(const detail::OrderedLayerArguments& arguments) {
  Forward job;
  // Sums in two bytes are written and read back for less than a gather of a
  // few rows takes, and with them a layer still keeps less than one of floats.
  job.regather_degree = 4;
  set_ordered_layer(job, arguments);
  const at::Tensor& weight = arguments.layer.parameters.gate_weight;
  const int64_t width = job.h.size(1);
  job.of_h = packed_transposed(weight.narrow(1, 0, width));
  job.of_m = packed_transposed(weight.narrow(1, width, width));
  return job;
}

}  // namespace

detail::OrderedLayerOutputs ordered_layer(
    const detail::OrderedLayerArguments& arguments) {
  const Forward job = forward_job(arguments);
  const at::Tensor& senders = job.neighbours.col;
  AT_DISPATCH_INDEX_TYPES(senders.scalar_type(), "ordered_layer", [&] {
    for_layer_blocks(job, [&](const RowBlock& block) {
      in_pieces(block, [&](const RowBlock& piece) {
        ForwardBlock<index_t>(job, piece).run();
      });
    });
  });
  return outputs_of(job);
}

}  // namespace ordered_gnn::cpu::bf16
