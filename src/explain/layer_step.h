#pragma once
#include <cstdint>
#include <vector>

#include "explain/neighbours.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn::explain {

/// States of some nodes after a layer; row i is that of nodes[i], rising.
struct KnownRows {
  std::vector<int64_t> nodes;
  OrderedGnn::State state;

  /// Row of a node that is among them.
  int64_t row_of(int64_t node) const;
};

/// Runs one layer for some nodes of a graph, or of the graph without one node.
class LayerStep {
 public:
  LayerStep(const OrderedGnn& model, const Graph& graph);

  /// @param layer    from 1.
  /// @param before   rows of the layer before, those of all senders among them.
  /// @param changed  rows that stand in for some of them.
  /// @param removed  node that sends nothing; -1 for none.
  /// @param wanted   nodes whose rows are computed, rising; not `removed`.
  KnownRows run(int64_t layer, const KnownRows& before,
                const KnownRows& changed, int64_t removed,
                const std::vector<int64_t>& wanted);

 private:
  std::vector<int64_t> with_senders(const std::vector<int64_t>& wanted,
                                    int64_t removed);
  OrderedGnn::State gathered(const KnownRows& before, const KnownRows& changed,
                             const std::vector<int64_t>& nodes) const;
  Graph local_graph(const std::vector<int64_t>& nodes,
                    const std::vector<int64_t>& wanted, int64_t removed) const;

  const OrderedGnn& model_;
  const Neighbours senders_;
  const at::Tensor weights_;    // of the graph's edges; may be undefined
  std::vector<int64_t> place_;  // among the nodes of a step; -1 for others
};

}  // namespace ordered_gnn::explain
