#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn {

/// Inverted dropout with a counter-based mask: y[i] = kept(i) ? x[i] / (1-p) :
/// 0.
///
/// Whether element i (row-major) is kept depends on the key and i alone: 16
/// bits of Philox(key.seed; i / 8, key.step, key.site) against p in steps of
/// 2^-16. The mask needs no memory, is recomputed in backward, and is the same
/// for any number of threads, any instruction set and, for feature_linear(),
/// any storage of the features.
///
/// @param x  any shape, float32 or float64.
/// @param p  in [0, 1); 0 returns `x` itself.
/// @throws c10::Error when p is outside [0, 1).
at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key);

}  // namespace ordered_gnn
