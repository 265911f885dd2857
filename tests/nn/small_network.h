#pragma once
#include <torch/types.h>

#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/features.h"

// A small Ordered GNN and what it reads.
namespace ordered_gnn::nn {

constexpr int64_t kNodes = 30;
constexpr int64_t kFeatures = 11;
constexpr int64_t kClasses = 4;

inline OrderedGnnOptions small_options() {
  OrderedGnnOptions options;
  options.layers = 3;
  options.hidden = 24;
  options.chunk = 4;
  options.mlp_layers = 2;
  options.dropout_theta = 0.3;
  options.dropout_xi = 0.2;
  return options;
}

inline NodeFeatures small_features(NodeFeatures::Kind kind) {
  if (kind == NodeFeatures::Kind::identity) {
    return NodeFeatures::identity(kNodes);
  }
  RandomStream random(5);
  at::Tensor values = torch::empty({kNodes, kFeatures});
  fill_uniform(values, 0, 1, random);
  values = torch::where(values > 0.6, values, torch::zeros_like(values));
  return kind == NodeFeatures::Kind::dense ? NodeFeatures::dense(values)
                                           : sparse_from(values);
}

}  // namespace ordered_gnn::nn
