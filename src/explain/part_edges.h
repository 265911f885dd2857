#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::explain {

/// Edges of a part of a graph, taken one by one with the weights that they have
/// there.
class PartEdges {
 public:
  /// @param weights  [E] float32 on the CPU; undefined: there are none.
  explicit PartEdges(const at::Tensor& weights);

  void reserve(int64_t count);
  /// @param edge  place of its weight.
  void add(int64_t sender, int64_t receiver, int64_t edge);

  at::Tensor ends() const;     ///< [2, taken] int64
  at::Tensor weights() const;  ///< [taken] float32, or undefined
  Graph graph(int64_t num_nodes) const;

 private:
  const at::Tensor all_;  // of the whole graph
  std::vector<int64_t> senders_, receivers_;
  std::vector<float> weights_;
};

}  // namespace ordered_gnn::explain
