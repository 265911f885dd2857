#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/kernels/rows/column_sums.h"

// Products of float matrices on tensor cores. A factor is split into TF32
// numbers, x = hi + lo, and a b = hi hi + hi lo + lo hi is as accurate as a
// product in float; hi hi alone is the usual TF32 product.
namespace ordered_gnn::cuda {

/// A row-major matrix in memory, `pitch` elements from row to row. With
/// `second` its columns from `columns_of_first` on lie in a matrix of their own
/// with the same pitch: [first | second].
struct Factor {
  const float* first = nullptr;
  int64_t pitch = 0;
  /// The factor is the transpose of what lies in memory.
  bool transposed = false;
  const float* second = nullptr;
  int64_t columns_of_first = 0;
};

/// c = a b (+ bias over rows) (+ c), for a [m, k], b [k, n] and c [m, n].
///
/// Any sizes, pitches and alignments are right. 16-byte copies need pointers
/// that are multiples of 16 bytes, pitches and columns_of_first that are
/// multiples of 4; a slower path serves the others. k = 0 counts as a product
/// of zeros. Not served: both a and b transposed.
///
/// A NaN in a factor gives NaN. An infinity gives what it gives in float,
/// except that with three terms infinity times a number beyond 2^11 may be NaN;
/// with one term what rounds beyond the largest TF32 number is infinite.
struct Product {
  Factor a;  // in memory [m, k], or [k, m] when transposed
  Factor b;  // in memory [k, n], or [n, k] when transposed (a weight)
  float* c = nullptr;
  int64_t c_pitch = 0;
  const float* bias = nullptr;  // [n] or null
  bool accumulate = false;
  int64_t m = 0, n = 0, k = 0;
  int terms = 3;  // 3: as accurate as float; 1: TF32
  /// product_workspace() floats; may be null when that is 0.
  float* workspace = nullptr;
  /// Done along, where there is something; in the last launch of a product that
  /// has several.
  PartialSums<float> along;
};

/// Floats of workspace that a product of these sizes needs: partial sums over
/// ranges of k when c alone is too small to occupy a device. Follows from the
/// sizes alone.
int64_t product_workspace(int64_t m, int64_t n, int64_t k);

/// Whether launch_product() serves the job: terms, layouts and workspace.
bool can_multiply(const Product& job);

/// cudaErrorInvalidValue for a job that can_multiply() refuses. c must not
/// overlap with a factor.
cudaError_t launch_product(const Product& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
