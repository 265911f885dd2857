#pragma once
#include <torch/types.h>

#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::explain {

/// logits[v] = sum over in-neighbours u of W x[u]: linear in all features, so
/// that what each of them contributes is known.
struct SumModel : NodeModel {
  explicit SumModel(const at::Tensor& initial)
      : weight(register_parameter("weight", initial)) {}

  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& /*context*/,
                     ForwardTrace* trace) override {
    const at::Tensor none = torch::zeros({weight.size(0)});
    const at::Tensor z = feature_linear(features, weight, none, 0, {});
    trace_layer(trace, 0, z);
    const at::Tensor out = scaled_aggregate(graph, {}, {}, z);
    trace_layer(trace, 1, out);
    return out;
  }

  at::Tensor weight;  ///< [C, F]
};

}  // namespace ordered_gnn::explain
