// Work split: the caller's blocks.
// Memory: one read and one write per number.
// Determinism: every number by itself, in whole numbers.
#include "ops/cpu/kernels/bf16/convert.h"

#include "ops/cpu/kernels/bf16/vectors.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kStep = kVectorWidth<float>;

}  // namespace

void widen(const Bf16* x, int64_t count, float* out) {
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) store(out + i, load_row(x + i));
  for (; i < count; ++i) out[i] = widened(x[i]);
}

void narrow(const float* x, int64_t count, Bf16* out) {
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) store_row(out + i, load(x + i));
  for (; i < count; ++i) out[i] = narrowed(x[i]);
}

void narrow_both(float* x, int64_t count, Bf16* out) {
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const Bf16Vector rounded = narrowed(load(x + i));
    store<32>(reinterpret_cast<uint16_t*>(out + i), rounded);
    store(x + i, widened(rounded));
  }
  for (; i < count; ++i) {
    out[i] = narrowed(x[i]);
    x[i] = widened(out[i]);
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
