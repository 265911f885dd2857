#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "lab/bench/epoch_trace.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

struct EpochBenchOptions {
  RunOptions run;        ///< network, training and threads are used
  int64_t repeats = 10;  ///< timed epochs; medians are reported
  int64_t warmup = 2;
  bool floor = true;
  bool unfused = true;  ///< on the CPU
  /// File for a trace of one more epoch, see epoch_trace.h; empty: none.
  std::filesystem::path trace;
};

/// What one training epoch (forward, backward, Adam) costs.
struct EpochBench {
  double ms_per_epoch = 0;
  /// The matrix products of that epoch alone, on matrices of the same sizes,
  /// by LibTorch's BLAS with as many threads. Products with sparse or identity
  /// features are no matrix products and are left out.
  std::optional<double> ms_gemm_floor;
  std::optional<double> ms_own_products;  ///< the same by our own kernels
  double gemm_flop = 0;                   ///< of the floor
  /// On a GPU: the products plus the least bytes an epoch moves at the speed of
  /// a copy, which is the second number.
  std::optional<double> ms_floor;
  std::optional<double> copy_bytes_per_second;
  /// The same model written with LibTorch's own ops and optimiser.
  std::optional<double> ms_unfused;
  /// Resident before model and optimiser were made, and the peak during our
  /// epochs; on a GPU what tensors hold there.
  int64_t base_bytes = 0;
  int64_t peak_bytes = 0;
  std::optional<int64_t> unfused_peak_bytes;  ///< the same for the unfused
  std::optional<TraceSummary> trace;          ///< of a traced epoch
};

/// Times epochs of `data` on its first split. Each repeat times our epoch, the
/// floor and the unfused model in turn, so that all see the same machine;
/// memory is measured before, in epochs of our own. On a GPU an epoch is the
/// replay of one CUDA graph, and LibTorch's own ops are not timed.
/// @throws Error when the data has no split to train on; UsageError when
///         LibTorch's ops are asked for other switches than the paper's (mean
///         aggregation, softor, no residual, no tied gates; transform and norms
///         are free).
EpochBench bench_epoch(const NodeDataset& data,
                       const EpochBenchOptions& options);

}  // namespace ordered_gnn::lab
