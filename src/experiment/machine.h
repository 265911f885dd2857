#pragma once
#include <string>

namespace ordered_gnn::detail {

/// What computes: "NVIDIA H200" or "AMD EPYC 9654, avx512", as far as the
/// system tells, for outputs that name times.
/// @param device  "cpu" or "cuda".
std::string machine_text(const std::string& device);

}  // namespace ordered_gnn::detail
