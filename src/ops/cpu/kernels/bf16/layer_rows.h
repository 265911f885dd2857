#pragma once
#include <cstdint>

#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/simd_namespaces.h"

// What an ordered layer does to a row behind its gate, a few rows at a time,
// so that what is between the steps stays in the first-level cache. Rows are
// stored in bfloat16 and computed in float.
namespace ordered_gnn::kernels {

/// Pointers are to the first of the rows.
struct LayerRows {
  int64_t rows = 0;
  int64_t dim = 0;
  int64_t gates = 0;
  const Bf16* h = nullptr;      // [rows, dim]
  const Bf16* m = nullptr;      // [rows, dim]
  const float* gate = nullptr;  // [rows, gates]
  // The mask of a result, null for none: row i is that of the node nodes[i], or
  // first_node + i where that is null.
  const DropoutMask* mask = nullptr;
  const int64_t* nodes = nullptr;
  int64_t first_node = 0;
};

/// out = dropout(norm(m + gate * (h - m))), with
/// norm(x) = (x - mean) * rstd * weight + bias.
struct LayerRowsForward : LayerRows {
  const float* weight = nullptr;  // [dim]
  const float* bias = nullptr;    // [dim]
  double eps = 0;
  float* mean = nullptr;  // [rows], set
  float* rstd = nullptr;  // [rows], set
  Bf16* out = nullptr;    // [rows, dim]
};

/// From the gradient of `out` above to those of what the blend reads.
struct LayerRowsBackward : LayerRows {
  const float* weight = nullptr;    // [dim]
  const float* mean = nullptr;      // [rows]
  const float* rstd = nullptr;      // [rows]
  const Bf16* grad_out = nullptr;   // [rows, dim]
  const Bf16* grad_gate = nullptr;  // [rows, gates], null for zeros: what
                                    // comes to the gate from elsewhere
  float* grad_h = nullptr;          // [rows, dim], set
  float* grad_m = nullptr;          // [rows, dim], set
  float* gate_grad = nullptr;       // [rows, gates], set: all that comes to it
  float* grad_weight = nullptr;     // [dim], added to, row after row
  float* grad_bias = nullptr;       // [dim], added to
};

/// Rows that are taken through the steps at a time.
constexpr int64_t kFewRows = 8;

/// Floats of scratch that one call of the functions below needs: the masks and
/// two matrices of a few rows, and a row.
constexpr int64_t layer_rows_scratch_size(int64_t dim) {
  return 2 * kFewRows * ((dim + 63) / 64) + (2 * kFewRows + 1) * dim;
}

ORDERED_GNN_SIMD_DECLARE(void layer_rows_forward(const LayerRowsForward& job,
                                                 float* scratch);
                         void layer_rows_backward(const LayerRowsBackward& job,
                                                  float* scratch);)

}  // namespace ordered_gnn::kernels
