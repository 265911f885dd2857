#pragma once
#include "lab/bench/epoch_bench.h"

namespace ordered_gnn::lab {

/// bench_epoch() for --device cuda; only in builds with CUDA.
EpochBench bench_epoch_on_gpu(const NodeDataset& data,
                              const EpochBenchOptions& options);

}  // namespace ordered_gnn::lab
