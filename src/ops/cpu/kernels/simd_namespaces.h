#pragma once
#include "core/simd.h"

// A kernel source is compiled once per instruction set, each time into the
// namespace ORDERED_GNN_SIMD_NAMESPACE. Its header declares the functions in
// all of them with ORDERED_GNN_SIMD_DECLARE; callers pick one at run time with
// ORDERED_GNN_SIMD_CALL. Kernel sources must not emit inline functions of
// other headers (containers, for example): the linker keeps one copy, and it
// could be the one this CPU cannot run.
#define ORDERED_GNN_SIMD_DECLARE(...) \
  namespace simd_baseline {           \
  __VA_ARGS__                         \
  }                                   \
  namespace simd_avx2 {               \
  __VA_ARGS__                         \
  }                                   \
  namespace simd_avx512 {             \
  __VA_ARGS__                         \
  }

#if ORDERED_GNN_SIMD_X86
#define ORDERED_GNN_SIMD_CALL(...)                          \
  do {                                                      \
    switch (::ordered_gnn::core::simd_level()) {            \
      case ::ordered_gnn::core::SimdLevel::avx512:          \
        ::ordered_gnn::kernels::simd_avx512::__VA_ARGS__;   \
        break;                                              \
      case ::ordered_gnn::core::SimdLevel::avx2:            \
        ::ordered_gnn::kernels::simd_avx2::__VA_ARGS__;     \
        break;                                              \
      case ::ordered_gnn::core::SimdLevel::baseline:        \
        ::ordered_gnn::kernels::simd_baseline::__VA_ARGS__; \
        break;                                              \
    }                                                       \
  } while (false)
#else
#define ORDERED_GNN_SIMD_CALL(...) \
  ::ordered_gnn::kernels::simd_baseline::__VA_ARGS__
#endif
