#pragma once
#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

ORDERED_GNN_SIMD_DECLARE(
    /// out[i] = x[i].
    void widen(const Bf16* x, int64_t count, float* out);
    /// out[i] = x[i], rounded.
    void narrow(const float* x, int64_t count, Bf16* out);
    /// The same, and x[i] becomes the rounded number.
    void narrow_both(float* x, int64_t count, Bf16* out);)

}  // namespace ordered_gnn::kernels
