#pragma once
#include <cmath>

#include "cuda/cuda_support.h"
#include "ops/input_stack.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {

/// One input_stack() of the tests.
struct StackCase {
  size_t layers = 3;
  int64_t rows = 300;
  int64_t features = 40;
  int64_t width = 64;
  double dropout = 0.3;
  bool product = true;  ///< whether the first layer has one
  bool recompute = false;
};

/// x, then weight, bias, norm weight and norm bias of every layer; those of a
/// product that is not there are left out.
inline Tensors stack_inputs(const StackCase& stack) {
  const int64_t width = stack.width;
  Tensors in = {
      uniform({stack.rows, stack.product ? stack.features : width}, 61)};
  for (size_t i = 0; i < stack.layers; ++i) {
    const uint64_t seed = 200 + 4 * i;
    const int64_t from = i == 0 ? stack.features : width;
    if (i > 0 || stack.product) {
      in.push_back(uniform({width, from}, seed) /
                   std::sqrt(static_cast<double>(from)));
      in.push_back(uniform({width}, seed + 1));
    }
    in.push_back(uniform({width}, seed + 2, 0.5, 1.5));
    in.push_back(uniform({width}, seed + 3));
  }
  return in;
}

/// The layers in what stack_inputs() gives.
inline std::vector<ops::InputStackLayer> stack_layers(const StackCase& stack,
                                                      const Tensors& in) {
  std::vector<ops::InputStackLayer> layers(stack.layers);
  size_t next = 1;
  for (size_t i = 0; i < stack.layers; ++i) {
    layers[i].dropout = stack.dropout;
    if (i > 0 || stack.product) {
      layers[i].weight = in[next++];
      layers[i].bias = in[next++];
    }
    layers[i].norm_weight = in[next++];
    layers[i].norm_bias = in[next++];
  }
  return layers;
}

const DropoutKey kStackKey = {/*seed=*/5, /*step=*/11, /*site=*/0};

/// The stack as a function of stack_inputs().
inline DeviceFunction stack_on(const StackCase& stack) {
  return [=](at::Device, const Tensors& in) {
    ops::InputStackSettings settings;
    settings.dropout = stack.dropout;
    settings.dropout_key = kStackKey;
    settings.recompute = stack.recompute;
    return Tensors{ops::input_stack(in[0], stack_layers(stack, in), settings)};
  };
}

/// The ops that it stands for.
inline DeviceFunction composed_stack_on(const StackCase& stack) {
  return [=](at::Device, const Tensors& in) {
    LayerNormSettings settings;
    settings.relu = true;
    settings.dropout_key = kStackKey;
    at::Tensor out =
        stack.product ? dropout(in[0], stack.dropout, kStackKey) : in[0];
    for (const ops::InputStackLayer& layer : stack_layers(stack, in)) {
      if (layer.weight.defined()) out = linear(out, layer.weight, layer.bias);
      settings.dropout = layer.dropout;
      ++settings.dropout_key.site;
      out = layer_norm(out, layer.norm_weight, layer.norm_bias, settings);
    }
    return Tensors{out};
  };
}

}  // namespace ordered_gnn
