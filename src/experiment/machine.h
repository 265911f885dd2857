#pragma once
#include <string>

#include "ordered_gnn/experiment/result_origin.h"
#include "ordered_gnn/experiment/run_batch.h"

namespace ordered_gnn::detail {

/// What computes: "NVIDIA H200" or "AMD EPYC 9654, avx512", as far as the
/// system tells, for outputs that name times.
/// @param device  "cpu" or "cuda".
std::string machine_text(const std::string& device);

/// Of a result that this program makes now by a batch.
ResultOrigin origin_of(const BatchOptions& batch);

}  // namespace ordered_gnn::detail
