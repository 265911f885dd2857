#pragma once
#include <ATen/Functions.h>

#include <algorithm>

#include "core/recycled_tensor.h"
#include "ops/cpu/dropped_rows.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ops/cpu/row_sum.h"
#include "ops/cpu/scratch.h"
#include "ops/detail/dropout.h"
#include "ops/detail/gated_layer.h"

// What forward passes of ordered_layer and candidate_layer have in common.
namespace ordered_gnn::cpu {

/// One forward pass of a layer; tensors are contiguous.
struct GatedForward {
  ScaledRows neighbours;
  at::Tensor h, prev_gate;
  at::Tensor gate_rows;  // [2 D, G], the transposed weight
  at::Tensor gate_bias;
  at::Tensor out, gate;
  at::Tensor m, logits;  // undefined: in scratch of a block
  kernels::GateMode mode = kernels::GateMode::softor;
  detail::Dropout dropout;
  bool keep = false;
  /// Up to so many neighbours, on average, backward gathers m again.
  int64_t regather_degree = detail::regather_degree();

  /// Of the layer; rows of h behind these only send.
  int64_t rows() const { return neighbours.rowptr.numel() - 1; }
};

inline ScaledRows scaled_rows(const detail::ScaledLists& lists,
                              const at::Tensor& h) {
  return {lists.rowptr, lists.col, detail::packed(lists.row_scale),
          detail::packed(lists.col_scale), h};
}

/// Allocates what every layer gives. With few neighbours m is gathered again in
/// backward for less than what writing and reading it would cost, and takes no
/// memory; not so where rows that only send are gone by then.
inline void allocate_results(GatedForward& job) {
  const int64_t rows = job.rows(), width = job.h.size(1);
  const at::TensorOptions options = job.h.options();
  job.out = core::recycled_empty({rows, width}, options);
  job.gate = core::recycled_empty({rows, job.gate_rows.size(1)}, options);
  if (job.keep && (job.h.size(0) > rows ||
                   job.neighbours.col.numel() > job.regather_degree * rows)) {
    job.m = core::recycled_empty({rows, width}, options);
  }
}

/// Sets what all layers have; `Arguments` are those of the registered op.
template <typename Arguments>
void set_layer(GatedForward& job, const Arguments& arguments,
               const at::Tensor& gate_weight, const at::Tensor& gate_bias) {
  job.h = arguments.layer.h.contiguous();
  job.neighbours = scaled_rows(arguments.lists, job.h);
  job.prev_gate = detail::packed(arguments.layer.prev_gate);
  job.gate_rows = transposed(gate_weight);
  job.gate_bias = gate_bias.contiguous();
  job.mode = static_cast<kernels::GateMode>(arguments.layer.mode);
  job.dropout = arguments.layer.dropout;
  job.keep = arguments.keep;
  allocate_results(job);
}

/// Rows [begin, begin + rows) of a layer. Pointers to rows of a block are to
/// its first, and the kernels get the range [0, rows).
struct RowBlock {
  int64_t begin, rows;
};

template <typename T>
T* scratch_of(int slot, int64_t rows, int64_t columns, const at::Tensor& like) {
  return scratch_values(slot, rows * columns, like.options())
      .template data_ptr<T>();
}

/// Every one of `rows` rows becomes the bias.
template <typename T>
void fill_rows(const at::Tensor& bias, int64_t rows, T* out) {
  const T* const values = bias.data_ptr<T>();
  const int64_t columns = bias.size(0);
  for (int64_t r = 0; r < rows; ++r) {
    std::copy(values, values + columns, out + r * columns);
  }
}

/// out += x W for the half of the weight's rows that starts at `first`.
template <typename T>
void add_half(const T* x, int64_t rows, const at::Tensor& weight_rows,
              int64_t first, T* out) {
  kernels::Product<T> product;
  product.rows = rows;
  product.columns = product.b_row = product.c_row = weight_rows.size(1);
  product.depth = product.a_row = weight_rows.size(0) / 2;
  product.a_depth = 1;
  product.a = x;
  product.b = row_of<T>(weight_rows, first);
  product.c = out;
  ORDERED_GNN_SIMD_CALL(add_product(product));
}

/// The gate of a block, and the blend of h and m by it.
template <typename T>
void combine_rows(const GatedForward& job, const RowBlock& block,
                  const T* logits, const T* m, T* out, T* space) {
  kernels::GateForward<T> gate;
  gate.mode = job.mode;
  gate.logits = logits;
  gate.prev_gate = row_of<T>(job.prev_gate, block.begin);
  gate.h = row_of<T>(job.h, block.begin);
  gate.m = m;
  gate.out = out;
  gate.gate = row_of<T>(job.gate, block.begin);
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  ORDERED_GNN_SIMD_CALL(gate_forward(gate, 0, block.rows, space));
}

/// `in` with the layer's dropout into `out`, which may be `in`. Backward is the
/// same.
/// @param rows  of the layer.
template <typename T>
void drop_rows(const detail::Dropout& how, int64_t rows, const RowBlock& block,
               int64_t dim, const T* in, T* out) {
  if (how.p == 0) {
    if (in != out) std::copy(in, in + block.rows * dim, out);
    return;
  }
  const kernels::DropoutMask mask(how.mask_key(), how.p);
  drop_row_block(mask, how.nodes(rows), block.begin, block.rows, dim, in, out);
}

}  // namespace ordered_gnn::cpu
