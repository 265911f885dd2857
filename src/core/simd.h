#pragma once
#include <string>

namespace ordered_gnn::core {

/// Instruction sets the CPU kernels are built for, from the slowest.
enum class SimdLevel { baseline, avx2, avx512 };

std::string to_string(SimdLevel level);

/// The level the kernels run with: the best this CPU has, unless the
/// environment variable OGNN_SIMD or force_simd_level() names a lower one.
/// @throws UsageError when OGNN_SIMD is no level or one the CPU lacks.
SimdLevel simd_level();

/// The best level of this CPU and build.
SimdLevel best_simd_level();

/// Makes simd_level() return `level`.
/// @throws UsageError when this CPU or build lacks it.
void force_simd_level(SimdLevel level);

}  // namespace ordered_gnn::core
