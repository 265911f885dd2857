#include "core/simd.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

const std::vector<std::string> kLevelNames = {"baseline", "avx2", "avx512"};

// Of OGNN_SIMD; those behind the levels are for products of bfloat16 numbers
// alone, see bf16_level.h.
const std::vector<std::string> kKnownNames = {"baseline", "avx2", "avx512",
                                              "avx512_bf16", "amx"};

void check_available(SimdLevel level) {
  if (level > best_simd_level()) {
    throw UsageError("this CPU or build has no " + to_string(level) +
                     " kernels; the best level here is " +
                     to_string(best_simd_level()));
  }
}

SimdLevel initial_level() {
  const char* const name = std::getenv("OGNN_SIMD");
  if (name == nullptr || *name == '\0') return best_simd_level();
  for (size_t i = 0; i < kKnownNames.size(); ++i) {
    if (kKnownNames[i] != name) continue;
    const auto level =
        static_cast<SimdLevel>(std::min(i, kLevelNames.size() - 1));
    check_available(level);
    return level;
  }
  throw UsageError(
      unknown_name_message("instruction set in OGNN_SIMD", name, kKnownNames));
}

std::atomic<SimdLevel>& current_level() {
  static std::atomic<SimdLevel> level{initial_level()};
  return level;
}

}  // namespace

std::string to_string(SimdLevel level) {
  return kLevelNames[static_cast<size_t>(level)];
}

SimdLevel best_simd_level() {
#if ORDERED_GNN_SIMD_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return SimdLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return SimdLevel::avx2;
  }
#endif
  return SimdLevel::baseline;
}

SimdLevel simd_level() { return current_level(); }

void force_simd_level(SimdLevel level) {
  check_available(level);
  current_level() = level;
}

}  // namespace ordered_gnn::core
