#include "explain/heard_graph.h"

#include <ATen/Functions.h>

namespace ordered_gnn::explain {

Graph heard_graph(const NodeModel& model, const Graph& graph) {
  if (!model.hears_both_ways()) return graph;
  const Adjacency& in = graph.in();
  const at::Tensor edges = at::stack(
      {in.col.to(at::kLong), at::repeat_interleave(in.rowptr.diff())});
  GraphOptions both;
  both.direction = Direction::undirected;
  return Graph::from_edges(graph.num_nodes(), edges, both);
}

}  // namespace ordered_gnn::explain
