#pragma once
#include "ops/op_checks.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "support/reference.h"

namespace ordered_gnn {

inline const DropoutKey kFeatureKey = {/*seed=*/5, /*step=*/11, /*site=*/2};

/// feature_linear() as a function of weight and bias.
inline TensorFunction op_on(const NodeFeatures& features, double p) {
  return [=](const Tensors& in) {
    return Tensors{feature_linear(features, in[0], in[1], p, kFeatureKey)};
  };
}

/// Its plain reference.
inline TensorFunction reference_on(const NodeFeatures& features, double p) {
  return [=](const Tensors& in) {
    return Tensors{
        reference::feature_linear(features, in[0], in[1], p, kFeatureKey)};
  };
}

}  // namespace ordered_gnn
