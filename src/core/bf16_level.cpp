#include "core/bf16_level.h"

#if ORDERED_GNN_SIMD_X86
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "core/names.h"
#include "core/simd.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

#if ORDERED_GNN_SIMD_X86

struct CpuidWords {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Leaf 7 of CPUID; zeros where the CPU has none.
CpuidWords structured_features(unsigned subleaf) {
  CpuidWords words;
  __get_cpuid_count(7, subleaf, &words.eax, &words.ebx, &words.ecx, &words.edx);
  return words;
}

bool has_dots() { return (structured_features(1).eax >> 5 & 1) != 0; }

// The instructions, and a system that keeps tiles when it changes threads.
bool has_tiles() {
  constexpr unsigned kTiles = 1u << 24, kTileBf16 = 1u << 22;
  constexpr unsigned kTileState = 3u << 17;
  const unsigned features = structured_features(0).edx;
  if ((features & kTiles) == 0 || (features & kTileBf16) == 0) return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
}

// Linux (5.16 on) lets a process use tiles when it has asked for their state:
// ARCH_REQ_XCOMP_PERM for XFEATURE_XTILEDATA.
bool are_tiles_granted() {
  constexpr int64_t kAsk = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kAsk, kTileData) == 0;
}

Bf16Level find_best_bf16() {
  if (best_simd_level() != SimdLevel::avx512 || !has_dots()) {
    return Bf16Level::plain;
  }
  return has_tiles() && are_tiles_granted() ? Bf16Level::tiles
                                            : Bf16Level::dots;
}

#else

Bf16Level find_best_bf16() { return Bf16Level::plain; }

#endif

void check_available(Bf16Level level) {
  if (level <= best_bf16_level()) return;
  throw UsageError("this CPU, build or system has no products by " +
                   to_string(level) + "; the best here are by " +
                   to_string(best_bf16_level()));
}

Bf16Level initial_bf16_level() {
  const char* const name = std::getenv("OGNN_SIMD");
  if (name == nullptr || *name == '\0') return best_bf16_level();
  for (const Bf16Level level : {Bf16Level::dots, Bf16Level::tiles}) {
    if (to_string(level) != name) continue;
    check_available(level);
    return level;
  }
  return Bf16Level::plain;
}

std::atomic<Bf16Level>& current_bf16_level() {
  static std::atomic<Bf16Level> level{initial_bf16_level()};
  return level;
}

}  // namespace

std::string to_string(Bf16Level level) {
  return core::word_of(level, {{Bf16Level::tiles, "amx"},
                               {Bf16Level::dots, "avx512_bf16"},
                               {Bf16Level::plain, "plain"}});
}

Bf16Level best_bf16_level() {
  static const Bf16Level best = find_best_bf16();
  return best;
}

Bf16Level bf16_level() { return current_bf16_level(); }

void force_bf16_level(Bf16Level level) {
  check_available(level);
  current_bf16_level() = level;
}

}  // namespace ordered_gnn::core
