#pragma once
#include <cstdint>

#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/simd_namespaces.h"

// Rows that are normalized and dropped out, a few at a time, so that what is
// between the steps stays in the first-level cache. They are stored in bfloat16
// and computed in float.
namespace ordered_gnn::kernels {

/// Pointers are to the first of the rows.
struct NormedRows {
  int64_t rows = 0;
  int64_t dim = 0;
  const float* weight = nullptr;  // [dim]
  const float* bias = nullptr;    // [dim]
  // The mask of a result, null for none: row i is that of the node nodes[i], or
  // first_node + i where that is null.
  const DropoutMask* mask = nullptr;
  const int64_t* nodes = nullptr;
  int64_t first_node = 0;
};

/// out = dropout((x - mean) * rstd * weight + bias).
struct NormedRowsForward : NormedRows {
  double eps = 0;
  float* mean = nullptr;  // [rows], set
  float* rstd = nullptr;  // [rows], set
  Bf16* out = nullptr;    // [rows, dim]
};

struct NormedRowsBackward : NormedRows {
  const float* mean = nullptr;     // [rows]
  const float* rstd = nullptr;     // [rows]
  const Bf16* grad_out = nullptr;  // [rows, dim]
  float* grad_weight = nullptr;    // [dim], added to, row after row
  float* grad_bias = nullptr;      // [dim], added to
};

/// x = max(in, 0), or `in` itself.
struct PlainRowsForward : NormedRowsForward {
  const Bf16* in = nullptr;  // [rows, dim]
  bool relu = false;
};

struct PlainRowsBackward : NormedRowsBackward {
  const Bf16* in = nullptr;  // [rows, dim]
  bool relu = false;
  Bf16* grad_in = nullptr;  // [rows, dim], set
  float* sums = nullptr;    // [dim], added to: those of the columns of grad_in
  Bf16* out = nullptr;      // [rows, dim], set as forward did, or null
};

/// x = m + gate * (h - m): what an ordered layer does to a row behind its gate.
struct BlendedRows {
  int64_t gates = 0;
  const Bf16* h = nullptr;     // [rows, dim]
  const Bf16* m = nullptr;     // [rows, dim]
  const Bf16* gate = nullptr;  // [rows, gates]
};

struct BlendedRowsForward : NormedRowsForward, BlendedRows {};

struct BlendedRowsBackward : NormedRowsBackward, BlendedRows {
  const Bf16* grad_gate = nullptr;  // [rows, gates], null for zeros: what comes
                                    // to the gate from elsewhere
  float* grad_h = nullptr;          // [rows, dim], set
  float* grad_m = nullptr;          // [rows, dim], set
  float* gate_grad = nullptr;       // [rows, gates], set: all that comes to it
};

/// Rows that are taken through the steps at a time.
constexpr int64_t kFewRows = 8;

/// Floats of scratch that one call of the functions below needs: the masks and
/// two matrices of a few rows, and two rows.
constexpr int64_t normed_rows_scratch_size(int64_t dim) {
  return 2 * kFewRows * ((dim + 63) / 64) + (2 * kFewRows + 2) * dim;
}

ORDERED_GNN_SIMD_DECLARE(
    void normed_rows_forward(const PlainRowsForward& job, float* scratch);
    void normed_rows_backward(const PlainRowsBackward& job, float* scratch);
    void normed_rows_forward(const BlendedRowsForward& job, float* scratch);
    void normed_rows_backward(const BlendedRowsBackward& job, float* scratch);)

}  // namespace ordered_gnn::kernels
