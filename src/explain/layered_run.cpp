#include <algorithm>
#include <numeric>

#include "explain/changed_nodes.h"
#include "explain/layer_step.h"
#include "explain/node_run.h"

namespace ordered_gnn::explain {
namespace {

// The graph without one neighbour, from layer to layer.
struct Variant {
  int64_t removed = 0;
  ChangedNodes changed;
  KnownRows rows;  // those that differ after the last layer
};

std::vector<Variant> affordable_variants(const NodeRequest& request,
                                         int64_t rounds,
                                         const std::vector<int64_t>& distance) {
  const NodeExplanationOptions& options = request.options;
  std::vector<Variant> out;
  int64_t visits = 0;
  for (const Candidate& candidate : request.candidates) {
    if (static_cast<int64_t>(out.size()) == options.max_removals) break;
    Variant variant{
        candidate.node,
        changed_nodes(request.data.graph, candidate.node, rounds, distance),
        {}};
    visits += variant.changed.edges;
    if (!out.empty() && visits > options.max_edge_visits) break;
    out.push_back(std::move(variant));
  }
  return out;
}

std::vector<int64_t> distances_of(const Reached& reached, int64_t num_nodes,
                                  int64_t beyond) {
  std::vector<int64_t> distance(static_cast<size_t>(num_nodes), beyond);
  for (size_t i = 0; i < reached.nodes.size(); ++i) {
    distance[static_cast<size_t>(reached.nodes[i])] = reached.distance[i];
  }
  return distance;
}

// Nodes within `rounds` of the root. When they are most of the graph all of it,
// which needs no graph of its own.
std::vector<int64_t> needed_nodes(const Reached& reached, int64_t rounds,
                                  int64_t num_nodes) {
  const auto end = std::upper_bound(reached.distance.begin(),
                                    reached.distance.end(), rounds) -
                   reached.distance.begin();
  if (2 * end > num_nodes) {
    std::vector<int64_t> all(static_cast<size_t>(num_nodes));
    std::iota(all.begin(), all.end(), int64_t{0});
    return all;
  }
  std::vector<int64_t> nodes(reached.nodes.begin(),
                             reached.nodes.begin() + end);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

KnownRows first_rows(const OrderedGnn& model, const NodeDataset& data,
                     const std::vector<int64_t>& nodes) {
  const bool is_all = static_cast<int64_t>(nodes.size()) == data.num_nodes();
  return {nodes, model.first_state(is_all ? data.features
                                          : rows_of(data.features, nodes))};
}

void advance(Variant& variant, int64_t layer, const KnownRows& base,
             LayerStep& step) {
  const std::vector<int64_t>& wanted =
      variant.changed.layers[static_cast<size_t>(layer)];
  variant.rows = wanted.empty() ? KnownRows{}
                                : step.run(layer, base, variant.rows,
                                           variant.removed, wanted);
}

}  // namespace

bool has_local_layers(const OrderedGnn& model) {
  // Messages of gcn are scaled by the in-degrees of their senders too.
  return model.options().aggregator != Aggregator::gcn &&
         !model.needs_whole_graph();
}

NodeRun run_layer_by_layer(const OrderedGnn& model, const NodeRequest& request,
                           const Reached& reached) {
  const int64_t rounds = model.options().layers;
  const int64_t num_nodes = request.data.num_nodes();
  std::vector<Variant> variants = affordable_variants(
      request, rounds, distances_of(reached, num_nodes, rounds + 1));
  const auto answer = [&](const KnownRows& rows) {
    const int64_t row = rows.row_of(request.node);
    return answer_of(model.classify(rows.state.h.narrow(0, row, 1)));
  };
  KnownRows base =
      first_rows(model, request.data, needed_nodes(reached, rounds, num_nodes));
  LayerStep step(model, request.data.graph);
  NodeRun out;
  out.now = answer(base);
  out.cuts.push_back(cut_after(0, out.now));
  for (int64_t layer = 1; layer <= rounds; ++layer) {
    for (Variant& variant : variants) advance(variant, layer, base, step);
    const std::vector<int64_t> nodes =
        needed_nodes(reached, rounds - layer, num_nodes);
    base = static_cast<int64_t>(nodes.size()) == num_nodes
               ? KnownRows{nodes, model.next_state(request.data.graph, layer,
                                                   base.state)}
               : step.run(layer, base, {}, -1, nodes);
    out.now = answer(base);
    out.cuts.push_back(cut_after(layer, out.now));
  }
  for (const Variant& variant : variants) {
    const bool differs = !variant.rows.nodes.empty();
    out.without.push_back(differs ? answer(variant.rows) : out.now);
  }
  return out;
}

}  // namespace ordered_gnn::explain
