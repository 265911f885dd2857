#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cpu/gated_layer.h"
#include "ops/cpu/row_norm.h"

namespace ordered_gnn::cpu {

/// One forward pass of a layer with a candidate; tensors are contiguous.
struct CandidateForward : GatedForward {
  at::Tensor candidate_rows;  // [2 D, D], the transposed weight
  at::Tensor candidate_bias;
  NormPass candidate_norm, norm;
  at::Tensor pre;  // undefined: in scratch of a block
};

/// Takes a block of rows through the steps of the layer, which may be those of
/// different passes: then what one leaves for the next is in the job's tensors.
/// Rows are numbered from the block's first.
template <typename T, typename Index>
class CandidateBlock {
 public:
  CandidateBlock(const CandidateForward& job, int64_t begin, int64_t end)
      : job_(job),
        begin_(begin),
        rows_(end - begin),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        m_(rows_of(job.m, 0, dim_)),
        logits_(rows_of(job.logits, 1, gates_)),
        pre_(rows_of(job.pre, 2, dim_)) {}

  const T* pre() const { return pre_; }
  const T* combined() const { return combined_; }

  /// The sums over neighbours, and of both maps the rows before any norm.
  void multiply() {
    sum_block<T, Index>(job_.neighbours, begin_, rows_, m_);
    const T* const h = row_of<T>(job_.h, begin_);
    fill_rows(job_.gate_bias, rows_, logits_);
    add_half(h, rows_, job_.gate_rows, 0, logits_);
    add_half<T>(m_, rows_, job_.gate_rows, dim_, logits_);
    fill_rows(job_.candidate_bias, rows_, pre_);
    add_half<T>(m_, rows_, job_.candidate_rows, 0, pre_);
    add_half(h, rows_, job_.candidate_rows, dim_, pre_);
  }

  /// Candidate, gate and blend. The blend stays in cache unless the norm
  /// pauses, which finds it where the result will be.
  void combine() {
    T* const candidate = scratch(3, rows_, dim_);
    cpu::normalize(job_.candidate_norm, begin_, rows_, dim_, /*relu=*/true,
                   pre_, candidate);
    combined_ = job_.norm.pauses() ? row_of<T>(job_.out, begin_) : candidate;
    combine_rows<T>(job_, {begin_, rows_}, logits_, candidate, combined_,
                    scratch(4, 1, kernels::gate_scratch_size(gates_, dim_)));
  }

  /// Norm and dropout of what combine() left.
  void normalize() {
    T* const out = row_of<T>(job_.out, begin_);
    cpu::normalize(job_.norm, begin_, rows_, dim_, /*relu=*/false,
                   job_.norm.pauses() ? out : combined_, out);
    drop_rows<T>(job_.dropout, job_.rows(), {begin_, rows_}, dim_, out, out);
  }

 private:
  T* scratch(int slot, int64_t rows, int64_t columns) const {
    return scratch_of<T>(slot, rows, columns, job_.h);
  }

  T* rows_of(const at::Tensor& kept, int slot, int64_t columns) const {
    return kept.defined() ? row_of<T>(kept, begin_)
                          : scratch(slot, rows_, columns);
  }

  const CandidateForward& job_;
  const int64_t begin_, rows_, dim_, gates_;
  T *m_, *logits_, *pre_;
  T* combined_ = nullptr;
};

}  // namespace ordered_gnn::cpu
