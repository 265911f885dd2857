#pragma once
#include <string>

namespace ordered_gnn::core {

/// How products of bfloat16 numbers are made, from the slowest: by the float
/// kernels of simd_level(), by the dot products of AVX512-BF16, or by the tiles
/// of AMX.
enum class Bf16Level { plain, dots, tiles };

/// "plain", "avx512_bf16" or "amx".
std::string to_string(Bf16Level level);

/// The level that products run with: the best this CPU has and the system
/// grants, unless OGNN_SIMD or force_bf16_level() names a lower one. The first
/// call may ask the system for tiles, for the whole process: only what needs
/// such products should call.
/// @throws UsageError when OGNN_SIMD is no level or one that is not to be had.
Bf16Level bf16_level();

/// The best level of this CPU, build and system.
Bf16Level best_bf16_level();

/// Makes bf16_level() return `level`.
/// @throws UsageError when it is not to be had here.
void force_bf16_level(Bf16Level level);

}  // namespace ordered_gnn::core
