#pragma once
#include <algorithm>
#include <vector>

#include "core/parallel_chunks.h"
#include "core/recycled_tensor.h"
#include "ops/cpu/gated_layer.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

// What backward passes of ordered_layer and candidate_layer have in common.
namespace ordered_gnn::cpu {

/// One backward pass of a layer; tensors are contiguous.
struct GatedBackward {
  ScaledRows neighbours;
  at::Tensor h, gate, logits;
  at::Tensor prev_gate;            // read in mode softor
  at::Tensor m;                    // undefined: gathered again
  at::Tensor gate_weight;          // [G, 2 D], columns [h ; m]
  at::Tensor grad_out, grad_gate;  // grad_gate undefined for zeros
  at::Tensor grad_h, grad_m, grad_prev;
  kernels::GateMode mode = kernels::GateMode::softor;
  detail::Dropout dropout;
};

/// Sets what all layers have; `Arguments` are those of the registered op.
template <typename Arguments>
void set_layer(GatedBackward& job, const Arguments& arguments) {
  const auto& kept = arguments.kept;
  job.mode = static_cast<kernels::GateMode>(kept.mode);
  job.h = kept.h.contiguous();
  job.neighbours = scaled_rows(arguments.lists, job.h);
  job.prev_gate = detail::packed(kept.prev_gate);
  job.gate = kept.gate;
  job.m = detail::value_or_undefined(kept.m);
  job.logits = kept.logits;
  job.gate_weight = kept.gate_weight.contiguous();
  job.grad_out = arguments.grad_out.contiguous();
  job.grad_gate = detail::packed(arguments.grad_gate);
  job.grad_h = core::recycled_like(job.h);
  job.grad_m = core::recycled_like(job.h);
  if (job.mode == kernels::GateMode::softor) {
    job.grad_prev = core::recycled_like(job.gate);
  }
  job.dropout = kept.dropout;
}

/// The gradient of the gate before: zeros where it was given and not read.
inline at::Tensor grad_of_prev_gate(const GatedBackward& job, bool is_given) {
  return is_given && !job.grad_prev.defined() ? at::zeros_like(job.gate)
                                              : job.grad_prev;
}

/// Steps that the blocks of a chunk take in order, see core::ChunkTurn: what
/// they add to the chunk's shares of the parameters' gradients.
enum ShareStep : int { kNormShares, kCandidateNormShares, kMapShares };

/// Rows of a block of a chunk, unless a pass says otherwise.
constexpr int64_t kChunkBlockRows = 128;

/// Calls step(chunk, block, turn) on all blocks of all chunks.
template <typename Step>
void for_chunks(const std::vector<int64_t>& bounds, const Step& step,
                int64_t block_rows = kChunkBlockRows) {
  std::vector<int64_t> blocks;
  for (size_t chunk = 0; chunk + 1 < bounds.size(); ++chunk) {
    blocks.push_back((bounds[chunk + 1] - bounds[chunk] + block_rows - 1) /
                     block_rows);
  }
  core::parallel_chunks(
      blocks, [&](int64_t chunk, int64_t block, const core::ChunkTurn& turn) {
        const int64_t begin = bounds[chunk] + block * block_rows;
        const int64_t rows = std::min(bounds[chunk + 1] - begin, block_rows);
        step(chunk, RowBlock{begin, rows}, turn);
      });
}

/// The blend of h and m by the gate, as forward made it.
template <typename T>
void blend_rows(const GatedBackward& job, const RowBlock& block, const T* m,
                T* out, T* space) {
  kernels::GateForward<T> blend;
  blend.h = row_of<T>(job.h, block.begin);
  blend.m = m;
  blend.gate = row_of<T>(job.gate, block.begin);
  blend.out = out;
  blend.gates = job.gate.size(1);
  blend.dim = job.h.size(1);
  ORDERED_GNN_SIMD_CALL(gate_blend(blend, 0, block.rows, space));
}

/// What the gate's backward reads and writes of the layer; m, and the gradients
/// of blend, logits and m are up to the caller.
template <typename T>
kernels::GateBackward<T> gate_backward_job(const GatedBackward& job,
                                           const RowBlock& block) {
  kernels::GateBackward<T> gate;
  gate.mode = job.mode;
  gate.logits = row_of<T>(job.logits, block.begin);
  gate.prev_gate = row_of<T>(job.prev_gate, block.begin);
  gate.h = row_of<T>(job.h, block.begin);
  gate.gate = row_of<T>(job.gate, block.begin);
  gate.grad_gate = row_of<T>(job.grad_gate, block.begin);
  gate.grad_prev_gate = row_of<T>(job.grad_prev, block.begin);
  gate.grad_h = row_of<T>(job.grad_h, block.begin);
  gate.gates = job.gate.size(1);
  gate.dim = job.h.size(1);
  return gate;
}

/// A map of [a ; b]: its weight, the shares of its gradients that belong to a
/// chunk of rows, and the gradient of its result.
template <typename T>
struct PairMap {
  const at::Tensor& weight;  // [C, 2 D]
  T *grad_weight, *grad_bias;
  const T* grad;  // [rows, C]
};

/// Adds the gradient of the rows of one half, whose columns of the weight start
/// at `first`.
template <typename T>
void undo_half(const PairMap<T>& map, int64_t first, int64_t rows, T* grad_x) {
  const int64_t width = map.weight.size(1);
  kernels::Product<T> to_x;
  to_x.rows = rows;
  to_x.columns = to_x.c_row = width / 2;
  to_x.depth = to_x.a_row = map.weight.size(0);
  to_x.a_depth = 1;
  to_x.a = map.grad;
  to_x.b = map.weight.template data_ptr<T>() + first;
  to_x.b_row = width;
  to_x.c = grad_x;
  ORDERED_GNN_SIMD_CALL(add_product(to_x));
}

/// Adds the gradient of the weight's columns from `first` on, which met x.
template <typename T>
void add_weight_share(const PairMap<T>& map, int64_t first, int64_t rows,
                      const T* x) {
  const int64_t width = map.weight.size(1);
  kernels::Product<T> to_weight;
  to_weight.rows = to_weight.a_depth = map.weight.size(0);
  to_weight.columns = to_weight.b_row = width / 2;
  to_weight.depth = rows;
  to_weight.a_row = 1;
  to_weight.a = map.grad;
  to_weight.b = x;
  to_weight.c = map.grad_weight + first;
  to_weight.c_row = width;
  ORDERED_GNN_SIMD_CALL(add_product(to_weight));
}

/// Adds the gradients of the rows that a map of [a ; b] reads.
template <typename T>
void undo_map(const PairMap<T>& map, int64_t rows, T* grad_a, T* grad_b) {
  undo_half(map, 0, rows, grad_a);
  undo_half(map, map.weight.size(1) / 2, rows, grad_b);
}

/// Adds the gradients of weight and bias of a map of [a ; b] to its shares.
template <typename T>
void add_map_shares(const PairMap<T>& map, int64_t rows, const T* a,
                    const T* b) {
  ORDERED_GNN_SIMD_CALL(
      add_column_sums(map.grad, map.weight.size(0), 0, rows, map.grad_bias));
  add_weight_share(map, 0, rows, a);
  add_weight_share(map, map.weight.size(1) / 2, rows, b);
}

}  // namespace ordered_gnn::cpu
