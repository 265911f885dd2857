#pragma once
#include <string>

#include "lab/runs/result_origin.h"
#include "lab/runs/run_batch.h"

namespace ordered_gnn::lab {

/// What computes: "NVIDIA H200" or "AMD EPYC 9654, avx512", as far as the
/// system tells, for outputs that name times.
/// @param device  "cpu" or "cuda".
std::string machine_text(const std::string& device);

/// Of a result that this program makes now by a batch.
ResultOrigin origin_of(const BatchOptions& batch);

}  // namespace ordered_gnn::lab
