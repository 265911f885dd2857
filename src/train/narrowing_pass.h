#pragma once
#include <memory>
#include <vector>

#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn::training {

/// An Ordered GNN that computes some nodes of a graph on the CPU: every layer
/// works on the part of the graph that these still depend on, which narrows
/// from layer to layer. The numbers are those of forward().
class NarrowingPass : public NodeModel {
 public:
  /// @param model  outlives this.
  /// @param nodes  whose rows are wanted, at least one, also twice.
  NarrowingPass(const OrderedGnn& model, std::vector<int64_t> nodes)
      : model_(model), nodes_(std::move(nodes)) {}

  /// @return [nodes, classes]. Embeddings of a trace are rows of the nodes too;
  ///         it gets no gates.
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;

 private:
  const OrderedGnn& model_;
  const std::vector<int64_t> nodes_;
};

}  // namespace ordered_gnn::training
