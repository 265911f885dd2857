// Work split: row blocks of about the same cost, as in cpu/candidate_layer.cpp.
// Memory: rows are read and written in two bytes; a block is widened into
// scratch, where it stays in cache between the steps.
// Determinism: blocks follow from the graph, rows are computed independently,
// statistics of blocks are put together in order.
#include "ops/cpu/bf16/candidate_layer.h"

#include <ATen/Dispatch.h>

#include "ops/cpu/bf16/gated_rows.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/candidate_layer_passes.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// The two halves of both weights, by what they multiply.
struct CandidateLayer16 : CandidateForward {
  Packed gate_of_h, gate_of_m, candidate_of_m, candidate_of_h;
};

template <typename Index>
class CandidateBlock16 {
 public:
  CandidateBlock16(const CandidateLayer16& job, int64_t begin, int64_t end)
      : job_(job),
        block_{begin, end - begin},
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        logits_(float_scratch(kFreeSlot + 1, block_.rows * gates_)),
        pre_(float_scratch(kFreeSlot + 2, block_.rows * dim_)),
        combined_(float_scratch(kFreeSlot + 3, block_.rows * dim_)) {}

  const float* pre() const { return pre_; }
  const float* combined() const { return combined_; }

  void multiply() {
    const int64_t rows = block_.rows;
    Bf16* const m = job_.m.defined()
                        ? row_of<Bf16>(job_.m, block_.begin)
                        : bf16_scratch(kFreeSlot + 13, rows * dim_);
    sum_block<Bf16, Index>(job_.neighbours, block_.begin, rows, m);
    const LeftRows of_h = {row_of<Bf16>(job_.h, block_.begin), rows, dim_};
    const LeftRows of_m = {m, rows, dim_};
    set_rows(job_.gate_bias, rows, gates_, logits_);
    add_product(of_h, job_.gate_of_h, logits_, gates_);
    add_product(of_m, job_.gate_of_m, logits_, gates_);
    round(job_.logits, gates_, logits_);
    set_rows(job_.candidate_bias, rows, dim_, pre_);
    add_product(of_m, job_.candidate_of_m, pre_, dim_);
    add_product(of_h, job_.candidate_of_h, pre_, dim_);
    round(job_.pre, dim_, pre_);
    is_made_ = true;
  }

  void combine() {
    if (!is_made_) {  // by this block: the ones of a pass before left them
      widened_rows(kFreeSlot + 1, job_.logits, block_.begin, block_.rows);
      widened_rows(kFreeSlot + 2, job_.pre, block_.begin, block_.rows);
    }
    cpu::normalize(job_.candidate_norm, block_.begin, block_.rows, dim_,
                   /*relu=*/true, pre_, combined_);
    // The blend takes the place of the candidate.
    open_and_blend(job_, block_, logits_, combined_, combined_);
    if (job_.norm.pauses()) round(job_.out, dim_, combined_);
  }

  void normalize() {
    const int64_t rows = block_.rows;
    if (job_.norm.pauses()) {
      widened_rows(kFreeSlot + 3, job_.out, block_.begin, rows);
    }
    cpu::normalize(job_.norm, block_.begin, rows, dim_, /*relu=*/false,
                   combined_, combined_);
    drop_stored(job_.dropout, job_.rows(), block_, dim_, combined_,
                row_of<Bf16>(job_.out, block_.begin));
  }

 private:
  // Rounds rows of this block as they are stored, and stores them where they
  // are kept.
  void round(const at::Tensor& kept, int64_t columns, float* rows) const {
    const int64_t count = block_.rows * columns;
    Bf16* const to = kept.defined() ? row_of<Bf16>(kept, block_.begin)
                                    : bf16_scratch(kFreeSlot + 14, count);
    ORDERED_GNN_SIMD_CALL(narrow_both(rows, count, to));
  }

  const CandidateLayer16& job_;
  const RowBlock block_;
  const int64_t dim_, gates_;
  float *const logits_, *const pre_, *const combined_;
  bool is_made_ = false;
};

CandidateLayer16 candidate_job(
    const detail::CandidateLayerArguments& arguments) {
  CandidateLayer16 job;
  set_candidate_layer(job, arguments);
  const detail::CandidateArguments& layer = arguments.layer;
  const int64_t width = job.h.size(1);
  job.gate_of_h = packed_transposed(layer.gate_weight.narrow(1, 0, width));
  job.gate_of_m = packed_transposed(layer.gate_weight.narrow(1, width, width));
  job.candidate_of_m =
      packed_transposed(layer.candidate_weight.narrow(1, 0, width));
  job.candidate_of_h =
      packed_transposed(layer.candidate_weight.narrow(1, width, width));
  return job;
}

}  // namespace

detail::CandidateLayerOutputs candidate_layer(
    const detail::CandidateLayerArguments& arguments) {
  CandidateLayer16 job = candidate_job(arguments);
  if (job.rows() > 0) {
    const std::vector<int64_t> bounds = candidate_blocks(job);
    AT_DISPATCH_INDEX_TYPES(
        job.neighbours.col.scalar_type(), "candidate_layer", [&] {
          run_candidate_passes<CandidateBlock16<index_t>, float>(
              job, bounds, arguments.layer);
        });
  }
  return outputs_of(job);
}

}  // namespace ordered_gnn::cpu::bf16
