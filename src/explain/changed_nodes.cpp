#include "explain/changed_nodes.h"

#include <algorithm>

#include "explain/neighbours.h"

namespace ordered_gnn::explain {

ChangedNodes changed_nodes(const Graph& graph, int64_t removed, int64_t rounds,
                           const std::vector<int64_t>& distance) {
  const Neighbours senders(graph.in());
  const Neighbours receivers(graph.out());
  ChangedNodes out;
  out.layers.resize(static_cast<size_t>(rounds) + 1);
  std::vector<int64_t> first;  // hear the removed node
  receivers.for_each(removed, [&](int64_t v) { first.push_back(v); });
  for (int64_t layer = 1; layer <= rounds; ++layer) {
    const auto k = static_cast<size_t>(layer);
    std::vector<int64_t> reached = first;
    for (const int64_t u : out.layers[k - 1]) {
      reached.push_back(u);
      receivers.for_each(u, [&](int64_t v) { reached.push_back(v); });
    }
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    for (const int64_t v : reached) {
      if (v == removed || distance[static_cast<size_t>(v)] > rounds - layer) {
        continue;
      }
      out.layers[k].push_back(v);
      out.edges += senders.count(v);
    }
  }
  return out;
}

}  // namespace ordered_gnn::explain
