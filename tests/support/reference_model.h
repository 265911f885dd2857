#pragma once
#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn::reference {

/// Parameters by their checkpoint names.
using Parameters = std::map<std::string, at::Tensor>;

/// The Ordered GNN step by step in plain LibTorch ops, as the protocol states
/// it. Shares no code with nn/.
at::Tensor ordered_gnn_logits(const OrderedGnnOptions& options,
                              const Parameters& parameters, const Graph& graph,
                              const NodeFeatures& features,
                              const ForwardContext& context,
                              std::vector<at::Tensor>* gates = nullptr);

at::Tensor mlp_logits(const OrderedGnnOptions& options,
                      const Parameters& parameters,
                      const NodeFeatures& features,
                      const ForwardContext& context);

}  // namespace ordered_gnn::reference
