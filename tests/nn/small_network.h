#pragma once
#include <torch/types.h>

#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/features.h"
#include "support/model_cases.h"

// A small Ordered GNN and what it reads.
namespace ordered_gnn::nn {

constexpr int64_t kNodes = 30;
constexpr int64_t kFeatures = 11;
constexpr int64_t kClasses = 4;

inline OrderedGnnOptions small_options() {
  OrderedGnnOptions options;
  set_small_network(options, 24);
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
