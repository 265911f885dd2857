// Work split: blocks of rows, whose turns are as in
// cpu/candidate_layer_backward.cpp.
// Memory: rows are read and written in two bytes; a block is widened into
// scratch, where candidates, blends and masks are computed again. What waits
// for a norm over a batch waits in two bytes.
// Determinism: chunks follow from the graph, blocks are added to them and they
// to each other in order.
#include <ATen/Dispatch.h>

#include "ops/cpu/bf16/candidate_layer.h"
#include "ops/cpu/bf16/gated_rows.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/candidate_layer_backward_passes.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// The two halves of both weights, by what their gradients reach.
struct CandidateUndo16 : CandidateBackward {
  Packed gate_to_h, gate_to_m, candidate_to_m, candidate_to_h;
};

// The gradient of a map, as it is and in two bytes, and its shares of this
// chunk.
struct MapGradient {
  const float* exact;
  Bf16* grad;
  int64_t columns;
  float *weight, *bias;
};

template <typename Index>
class CandidateUndoBlock16 {
 public:
  CandidateUndoBlock16(const CandidateUndo16& job, int64_t chunk,
                       const RowBlock& block, const core::ChunkTurn& turn)
      : job_(job),
        turn_(turn),
        chunk_(chunk),
        block_(block),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(scratch(0, dim_)),
        candidate_(scratch(1, dim_)),
        blend_(scratch(2, dim_)),
        grad_logits_(scratch(3, gates_)),
        grad_h_(scratch(4, dim_)),
        space_(float_scratch(kFreeSlot + 5,
                             kernels::gate_scratch_size(gates_, dim_))) {}

  void restore() {
    widened(6, job_.pre);
    cpu::normalize(job_.candidate_again, block_.begin, block_.rows, dim_,
                   /*relu=*/true, scratch(6, dim_), candidate_);
    drop_stored(job_.dropout, job_.h.size(0), block_, dim_,
                row_of<Bf16>(job_.grad_out, block_.begin), grad_);
    widened(8, job_.gate);
    if (job_.norm.mode == NormMode::none) return;
    kernels::GateForward<float, Bf16, float> blend;
    blend.h = row_of<Bf16>(job_.h, block_.begin);
    blend.m = candidate_;
    blend.gate = scratch(8, gates_);
    blend.out = blend_;
    blend.gates = gates_;
    blend.dim = dim_;
    ORDERED_GNN_SIMD_CALL(gate_blend(blend, 0, block_.rows, space_));
  }

  void count() {
    turn_.take(kNormShares, [&] {
      count_norm(job_.norm, chunk_, block_.rows, dim_, blend_, grad_);
    });
  }

  void undo_gate() {
    const int64_t rows = block_.rows, begin = block_.begin;
    turn_.take(kNormShares, [&] {
      cpu::undo_norm(job_.norm, chunk_, begin, rows, dim_, blend_, grad_);
    });
    auto gate = stored_gate_job(job_, block_);
    gate.h = row_of<Bf16>(job_.h, begin);
    gate.grad_gate = widened_rows(kFreeSlot + 12, job_.grad_gate, begin, rows);
    gate.m = candidate_;
    gate.gate = scratch(8, gates_);
    gate.grad_out = grad_;
    gate.grad_logits = grad_logits_;
    gate.grad_h = grad_h_;
    gate.grad_m = grad_;
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, rows, space_));
    narrow_rows(gate.grad_prev_gate, rows, job_.grad_prev, begin);
    ORDERED_GNN_SIMD_CALL(undo_relu(candidate_, grad_, rows * dim_));
    if (!job_.candidate_norm.pauses()) return;
    narrow_rows(grad_, rows, job_.grad_m, begin);
    narrow_rows(grad_h_, rows, job_.grad_h, begin);
    narrow_rows(grad_logits_, rows, job_.grad_logits, begin);
  }

  void count_candidate() {
    turn_.take(kCandidateNormShares, [&] {
      count_norm(job_.candidate_norm, chunk_, block_.rows, dim_,
                 scratch(6, dim_), grad_);
    });
  }

  void undo_products() {
    const int64_t rows = block_.rows, begin = block_.begin;
    if (job_.candidate_norm.pauses()) {
      widened(0, job_.grad_m);
      widened(3, job_.grad_logits);
      widened(4, job_.grad_h);
      widened(6, job_.pre);
    }
    turn_.take(kCandidateNormShares, [&] {
      cpu::undo_norm(job_.candidate_norm, chunk_, begin, rows, dim_,
                     scratch(6, dim_), grad_);
    });
    const MapGradient of_gate =
        map(13, grad_logits_, job_.gate_weight_shares, job_.gate_bias_shares);
    const MapGradient of_candidate = map(
        14, grad_, job_.candidate_weight_shares, job_.candidate_bias_shares);
    float* const grad_m = scratch(1, dim_);
    set_rows({}, rows, dim_, grad_m);
    const Bf16* const h = row_of<Bf16>(job_.h, begin);
    const Bf16* const m = sums_again<Index>(job_, block_, kFreeSlot + 15);
    undo_half(of_gate, job_.gate_to_h, grad_h_);
    undo_half(of_gate, job_.gate_to_m, grad_m);
    finish_half(of_candidate, job_.candidate_to_m, grad_m, job_.grad_m);
    finish_half(of_candidate, job_.candidate_to_h, grad_h_, job_.grad_h);
    turn_.take(kMapShares, [&] {
      add_shares(of_gate, h, m);
      add_shares(of_candidate, m, h);
    });
  }

 private:
  float* scratch(int slot, int64_t columns) const {
    return float_scratch(kFreeSlot + slot, block_.rows * columns);
  }

  float* widened(int slot, const at::Tensor& matrix) const {
    return widened_rows(kFreeSlot + slot, matrix, block_.begin, block_.rows);
  }

  // Rounds the gradient of a map for products.
  MapGradient map(int slot, const float* grad, const at::Tensor& weight_shares,
                  const at::Tensor& bias_shares) const {
    const int64_t columns = bias_shares.size(1);
    Bf16* const rounded = bf16_scratch(kFreeSlot + slot, block_.rows * columns);
    ORDERED_GNN_SIMD_CALL(narrow(grad, block_.rows * columns, rounded));
    return {grad, rounded, columns,
            weight_shares.data_ptr<float>() + chunk_ * columns * 2 * dim_,
            row_of<float>(bias_shares, chunk_)};
  }

  // Adds the gradient of one half of what a map reads.
  void undo_half(const MapGradient& of, const Packed& weight,
                 float* grad_x) const {
    add_product({of.grad, block_.rows, of.columns}, weight, grad_x, dim_);
  }

  // The same, and stores the sum.
  void finish_half(const MapGradient& of, const Packed& weight,
                   const float* grad_x, const at::Tensor& out) const {
    round_product({of.grad, block_.rows, of.columns}, weight, grad_x, dim_,
                  row_of<Bf16>(out, block_.begin));
  }

  // Adds the gradients of the weight and the bias of a map of [a ; b].
  void add_shares(const MapGradient& of, const Bf16* a, const Bf16* b) const {
    ORDERED_GNN_SIMD_CALL(
        add_column_sums(of.exact, of.columns, 0, block_.rows, of.bias));
    add_product_of_rows(
        {of.grad, a, block_.rows, of.columns, dim_, of.weight, 2 * dim_});
    add_product_of_rows({of.grad, b, block_.rows, of.columns, dim_,
                         of.weight + dim_, 2 * dim_});
  }

  const CandidateUndo16& job_;
  const core::ChunkTurn& turn_;
  const int64_t chunk_;
  const RowBlock block_;
  const int64_t dim_, gates_;
  float *const grad_, *const candidate_, *const blend_;
  float *const grad_logits_, *const grad_h_, *const space_;
};

}  // namespace

detail::CandidateRowGradients candidate_layer_rows_backward(
    const detail::CandidateLayerBackwardArguments& arguments) {
  const std::vector<int64_t> bounds = candidate_chunks(arguments);
  CandidateUndo16 job;
  set_candidate_layer(job, arguments, static_cast<int64_t>(bounds.size()) - 1);
  const int64_t width = job.h.size(1);
  job.gate_to_h = packed(job.gate_weight.narrow(1, 0, width));
  job.gate_to_m = packed(job.gate_weight.narrow(1, width, width));
  job.candidate_to_m = packed(job.candidate_weight.narrow(1, 0, width));
  job.candidate_to_h = packed(job.candidate_weight.narrow(1, width, width));
  AT_DISPATCH_INDEX_TYPES(
      job.neighbours.col.scalar_type(), "candidate_layer", [&] {
        undo_candidate_passes<CandidateUndoBlock16<index_t>>(job, bounds);
      });
  return gradients_of(job, arguments);
}

}  // namespace ordered_gnn::cpu::bf16
