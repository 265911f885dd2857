#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>

#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ops/cpu/row_sum.h"
#include "ops/cpu/scratch.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cpu {

/// One backward pass of the layer; tensors are contiguous.
struct Backward {
  ScaledRows neighbours;
  at::Tensor h, gate, logits, mean, rstd;
  at::Tensor prev_gate;    // read in mode softor
  at::Tensor m;            // undefined: gathered again
  at::Tensor gate_weight;  // [G, 2 D]
  at::Tensor norm_weight;
  at::Tensor grad_out, grad_gate;  // grad_gate undefined for zeros
  at::Tensor grad_h, grad_m, grad_prev;
  kernels::GateMode mode;
  detail::Dropout dropout;
};

/// What every chunk of rows adds to the gradients of the parameters.
struct Shares {
  at::Tensor gate_weight;  // [chunks, G, 2 D]
  at::Tensor gate_bias;    // [chunks, G]
  at::Tensor norm_weight;  // [chunks, D]
  at::Tensor norm_bias;    // [chunks, D]
};

/// Takes a block of rows back through the steps of the layer, in scratch of the
/// thread: gradients of the rows go to grad_h, grad_m and grad_prev, those of
/// the parameters are added to the chunk's shares.
template <typename T, typename Index>
class BackwardBlock {
 public:
  BackwardBlock(const Backward& job, const Shares& shares, int64_t chunk,
                int64_t begin, int64_t end)
      : job_(job),
        shares_(shares),
        chunk_(chunk),
        begin_(begin),
        rows_(end - begin),
        dim_(job.h.size(1)),
        gates_(job.gate.size(1)),
        grad_(scratch_rows(0, rows_, dim_, job.h.options())),
        combined_(scratch_rows(1, rows_, dim_, job.h.options())),
        grad_logits_(scratch_rows(2, rows_, gates_, job.h.options())),
        space_(scratch_rows(3, 1, kernels::gate_scratch_size(gates_, dim_),
                            job.h.options())) {
    if (job.m.defined()) {
      m_ = row_of<T>(job.m, begin);
      return;
    }
    T* const gathered =
        scratch_rows(4, rows_, dim_, job.h.options()).template data_ptr<T>();
    sum_block<T, Index>(job.neighbours, begin, rows_, gathered);
    m_ = gathered;
  }

  void run() {
    undo_dropout();
    undo_norm();
    undo_gate();
    undo_product();
  }

 private:
  void undo_dropout() {
    const T* const grad = row_of<T>(job_.grad_out, begin_);
    T* const out = grad_.template data_ptr<T>();
    if (job_.dropout.p == 0) {
      std::copy(grad, grad + rows_ * dim_, out);
      return;
    }
    const kernels::DropoutMask mask(job_.dropout.mask_key(), job_.dropout.p);
    ORDERED_GNN_SIMD_CALL(
        dropout(mask, grad, out, begin_ * dim_, rows_ * dim_));
  }

  void undo_norm() {
    kernels::GateForward<T> blend;
    blend.h = row_of<T>(job_.h, begin_);
    blend.m = m_;
    blend.gate = row_of<T>(job_.gate, begin_);
    blend.out = combined_.template data_ptr<T>();
    blend.gates = gates_;
    blend.dim = dim_;
    T* const space = space_.template data_ptr<T>();
    ORDERED_GNN_SIMD_CALL(gate_blend(blend, 0, rows_, space));
    kernels::NormBackward<T> norm;
    norm.grad = grad_.template data_ptr<T>();
    norm.x = combined_.template data_ptr<T>();
    norm.mean = job_.mean.data_ptr<T>() + begin_;
    norm.rstd = job_.rstd.data_ptr<T>() + begin_;
    norm.weight = job_.norm_weight.data_ptr<T>();
    norm.grad_x = grad_.template data_ptr<T>();
    norm.dim = dim_;
    T* const grad_weight = row_of<T>(shares_.norm_weight, chunk_);
    T* const grad_bias = row_of<T>(shares_.norm_bias, chunk_);
    ORDERED_GNN_SIMD_CALL(
        norm_backward(norm, 0, rows_, grad_weight, grad_bias));
  }

  void undo_gate() {
    kernels::GateBackward<T> gate;
    gate.mode = job_.mode;
    gate.logits = row_of<T>(job_.logits, begin_);
    gate.prev_gate = row_of<T>(job_.prev_gate, begin_);
    gate.h = row_of<T>(job_.h, begin_);
    gate.m = m_;
    gate.gate = row_of<T>(job_.gate, begin_);
    gate.grad_out = grad_.template data_ptr<T>();
    gate.grad_gate = row_of<T>(job_.grad_gate, begin_);
    gate.grad_logits = grad_logits_.template data_ptr<T>();
    gate.grad_prev_gate = row_of<T>(job_.grad_prev, begin_);
    gate.grad_h = row_of<T>(job_.grad_h, begin_);
    gate.grad_m = row_of<T>(job_.grad_m, begin_);
    gate.gates = gates_;
    gate.dim = dim_;
    T* const space = space_.template data_ptr<T>();
    ORDERED_GNN_SIMD_CALL(gate_backward(gate, 0, rows_, space));
    T* const grad_bias = row_of<T>(shares_.gate_bias, chunk_);
    ORDERED_GNN_SIMD_CALL(
        add_column_sums(gate.grad_logits, gates_, 0, rows_, grad_bias));
  }

  void undo_product() {
    const T* const weight = job_.gate_weight.data_ptr<T>();
    T* const grad_weight =
        shares_.gate_weight.data_ptr<T>() + chunk_ * gates_ * 2 * dim_;
    undo_half(weight, row_of<T>(job_.h, begin_), job_.grad_h, grad_weight);
    undo_half(weight + dim_, m_, job_.grad_m, grad_weight + dim_);
  }

  // One half of [h ; m] W^T: the gradients of its rows and of its weight.
  void undo_half(const T* weight, const T* x, const at::Tensor& grad_x,
                 T* grad_weight) {
    const T* const grad_logits = grad_logits_.template data_ptr<T>();
    kernels::Product<T> to_x;
    to_x.rows = rows_;
    to_x.columns = to_x.c_row = dim_;
    to_x.depth = to_x.a_row = gates_;
    to_x.a_depth = 1;
    to_x.a = grad_logits;
    to_x.b = weight;
    to_x.b_row = 2 * dim_;
    to_x.c = row_of<T>(grad_x, begin_);
    ORDERED_GNN_SIMD_CALL(add_product(to_x));
    kernels::Product<T> to_weight;
    to_weight.rows = to_weight.a_depth = gates_;
    to_weight.columns = to_weight.b_row = dim_;
    to_weight.depth = rows_;
    to_weight.a_row = 1;
    to_weight.a = grad_logits;
    to_weight.b = x;
    to_weight.c = grad_weight;
    to_weight.c_row = 2 * dim_;
    ORDERED_GNN_SIMD_CALL(add_product(to_weight));
  }

  const Backward& job_;
  const Shares& shares_;
  const int64_t chunk_, begin_, rows_, dim_, gates_;
  const at::Tensor grad_, combined_, grad_logits_, space_;
  const T* m_;  // rows of the block
};

}  // namespace ordered_gnn::cpu
