#pragma once
#include <cstdint>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// Bytes that an epoch moves between its matrix products when everything that
/// can be fused is, with all nodes in every layer: a last layer for the
/// labelled ones alone moves less. With N nodes, E list entries (loops
/// included), D the width, G gates, F features, C classes and numbers of
/// `bytes_per_number` bytes:
///
///   a layer, forward    E D  neighbours' h, one row per list entry
///                     + 3 N D  own h read; m and out written
///                     + 2 N G  logits and gate
///   a layer, backward   E D  neighbours' grad_m, one row per list entry
///                     + 5 N D  grad_out, h, m read; grad_h, grad_m written
///                     + 3 N G  logits and gate read; grad_logits written
///   both                2 E column indices of 4 bytes
///   a transform         3 N D  the candidate read by both, its gradient
///   written an input layer      5 N D  its norm: forward reads x and writes
///   out,
///                              backward reads grad_out and x, writes grad_x
///   dense features      2 N F  dropout ahead of the product, if there is any
///   sparse features     2 N D  rows written, their gradients read
///                     + entries of 8 bytes and float32 weights [D, F], twice
///   class scores        N C  their gradient written
///
/// Without gates the terms with G vanish, and h is not read for the node
/// itself. Operands within a product belong to the product; other parameters
/// and Adam are left out.
///
/// @param data  on any device; only its sizes are read.
double least_bytes(const NodeDataset& data, const RunOptions& options,
                   int64_t bytes_per_number);

/// What an epoch costs on a GPU whose kernels do nothing but products at the
/// speed of cuBLAS and moves at the speed of a copy.
struct GpuFloor {
  double copy_bytes_per_second = 0;
  double ms_products = 0;  ///< in the options' math
  double gemm_flop = 0;
  double bytes = 0;  ///< least_bytes() in the options' storage type

  /// A yardstick rather than a bound: where a cache holds much of the rows,
  /// neighbours come faster than from memory.
  double ms() const {
    return ms_products + 1e3 * bytes / copy_bytes_per_second;
  }
};

/// Bytes read plus bytes written per second by a copy of 2 GiB within the
/// current device, or of a quarter of its free memory when that is less. Median
/// of ten copies after one that is not timed.
double copy_bandwidth();

/// Measures on the current device and waits for it. Takes room for one set of
/// operands per shape of product, and gives it back. Needs a MathScope.
/// @throws c10::Error when the memory does not suffice.
GpuFloor measure_gpu_floor(const NodeDataset& data, const RunOptions& options);

}  // namespace ordered_gnn::lab
