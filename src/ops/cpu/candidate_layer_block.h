#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>

#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ops/cpu/row_norm.h"
#include "ops/cpu/row_sum.h"
#include "ops/cpu/scratch.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cpu {

/// One forward pass of a layer with a candidate; tensors are contiguous.
struct CandidateForward {
  ScaledRows neighbours;
  at::Tensor h, prev_gate;
  at::Tensor gate_rows;       // [2 D, G], the transposed weight
  at::Tensor candidate_rows;  // [2 D, D], the transposed weight
  at::Tensor gate_bias, candidate_bias;
  NormPass candidate_norm, norm;
  at::Tensor out, gate;
  at::Tensor m, logits, pre;  // undefined: in scratch of a block
  kernels::GateMode mode = kernels::GateMode::softor;
  detail::Dropout dropout;
  bool keep = false;
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
    fill(job_.gate_bias, logits_);
    add_half(h, job_.gate_rows, 0, logits_);
    add_half(m_, job_.gate_rows, dim_, logits_);
    fill(job_.candidate_bias, pre_);
    add_half(m_, job_.candidate_rows, 0, pre_);
    add_half(h, job_.candidate_rows, dim_, pre_);
  }

  /// Candidate, gate and blend. The blend stays in cache unless the norm
  /// pauses, which finds it where the result will be.
  void combine() {
    T* const candidate = scratch(3, rows_, dim_);
    cpu::normalize(job_.candidate_norm, begin_, rows_, dim_, /*relu=*/true,
                   pre_, candidate);
    combined_ = job_.norm.pauses() ? row_of<T>(job_.out, begin_) : candidate;
    kernels::GateForward<T> gate;
    gate.mode = job_.mode;
    gate.logits = logits_;
    gate.prev_gate = row_of<T>(job_.prev_gate, begin_);
    gate.h = row_of<T>(job_.h, begin_);
    gate.m = candidate;
    gate.out = combined_;
    gate.gate = row_of<T>(job_.gate, begin_);
    gate.gates = gates_;
    gate.dim = dim_;
    T* const space = scratch(4, 1, kernels::gate_scratch_size(gates_, dim_));
    ORDERED_GNN_SIMD_CALL(gate_forward(gate, 0, rows_, space));
  }

  /// Norm and dropout of what combine() left.
  void normalize() {
    T* const out = row_of<T>(job_.out, begin_);
    cpu::normalize(job_.norm, begin_, rows_, dim_, /*relu=*/false,
                   job_.norm.pauses() ? out : combined_, out);
    if (job_.dropout.p == 0) return;
    const kernels::DropoutMask mask(job_.dropout.mask_key(), job_.dropout.p);
    ORDERED_GNN_SIMD_CALL(dropout(mask, out, out, begin_ * dim_, rows_ * dim_));
  }

 private:
  T* scratch(int slot, int64_t rows, int64_t columns) const {
    return scratch_rows(slot, rows, columns, job_.h.options())
        .template data_ptr<T>();
  }

  T* rows_of(const at::Tensor& kept, int slot, int64_t columns) const {
    return kept.defined() ? row_of<T>(kept, begin_)
                          : scratch(slot, rows_, columns);
  }

  void fill(const at::Tensor& bias, T* rows) const {
    const T* const values = bias.data_ptr<T>();
    const int64_t columns = bias.size(0);
    for (int64_t r = 0; r < rows_; ++r) {
      std::copy(values, values + columns, rows + r * columns);
    }
  }

  // c += x W for the half of the weight's rows that starts at `first`.
  void add_half(const T* x, const at::Tensor& weight_rows, int64_t first,
                T* c) const {
    kernels::Product<T> product;
    product.rows = rows_;
    product.columns = product.b_row = product.c_row = weight_rows.size(1);
    product.depth = product.a_row = dim_;
    product.a_depth = 1;
    product.a = x;
    product.b = row_of<T>(weight_rows, first);
    product.c = c;
    ORDERED_GNN_SIMD_CALL(add_product(product));
  }

  const CandidateForward& job_;
  const int64_t begin_, rows_, dim_, gates_;
  T *m_, *logits_, *pre_;
  T* combined_ = nullptr;
};

}  // namespace ordered_gnn::cpu
