#pragma once
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/kernels/gates/gate_row.cuh"

namespace ordered_gnn::cuda {

/// The gates of row v, to the output and, as they are stored there, to shared
/// memory.
template <typename S, typename T>
__device__ __forceinline__ void open_gates(const GateNormForward<S>& job,
                                           int64_t v, T* gate) {
  const int64_t offset = v * job.gates;
  if (job.mode == GateMode::simple) {
    for (int c = lane_id(); c < job.gates; c += kWarp) {
      gate[c] = T(1) / (T(1) + exp_of(-to_compute(job.logits[offset + c])));
    }
  } else {
    softmax_row(job.logits + offset, job.gates, gate);
    for_suffix_sums(gate, job.gates, [&](int c, T sum) {
      if (job.mode == GateMode::softor) {
        const T before = to_compute(job.prev_gate[offset + c]);
        sum = before + (T(1) - before) * sum;
      }
      gate[c] = sum;
    });
  }
  for (int c = lane_id(); c < job.gates; c += kWarp) {
    const S stored = to_storage<S>(gate[c]);
    job.gate[offset + c] = stored;
    gate[c] = to_compute(stored);
  }
  __syncwarp();  // from here on lanes read each other's gates
}

}  // namespace ordered_gnn::cuda
