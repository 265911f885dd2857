#include "explain/layer_step.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "explain/part_edges.h"

namespace ordered_gnn::explain {
namespace {

at::Tensor index_of(const std::vector<int64_t>& places) {
  at::Tensor out = at::empty({static_cast<int64_t>(places.size())}, at::kLong);
  std::copy(places.begin(), places.end(), out.data_ptr<int64_t>());
  return out;
}

OrderedGnn::State selected(const OrderedGnn::State& state,
                           const std::vector<int64_t>& places) {
  const at::Tensor index = index_of(places);
  return {
      state.h.index_select(0, index),
      state.gate.defined() ? state.gate.index_select(0, index) : at::Tensor()};
}

}  // namespace

int64_t KnownRows::row_of(int64_t node) const {
  return std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin();
}

LayerStep::LayerStep(const OrderedGnn& model, const Graph& graph)
    : model_(model),
      senders_(graph.in()),
      weights_(graph.weights()),
      place_(static_cast<size_t>(graph.num_nodes()), -1) {}

KnownRows LayerStep::run(int64_t layer, const KnownRows& before,
                         const KnownRows& changed, int64_t removed,
                         const std::vector<int64_t>& wanted) {
  std::vector<int64_t> nodes = with_senders(wanted, removed);
  for (size_t i = 0; i < nodes.size(); ++i) {
    place_[static_cast<size_t>(nodes[i])] = static_cast<int64_t>(i);
  }
  OrderedGnn::State state = gathered(before, changed, nodes);
  const Graph graph = local_graph(nodes, wanted, removed);
  std::vector<int64_t> places;
  for (const int64_t v : wanted) {
    places.push_back(place_[static_cast<size_t>(v)]);
  }
  for (const int64_t v : nodes) place_[static_cast<size_t>(v)] = -1;
  return {wanted, selected(model_.next_state(graph, layer, state), places)};
}

std::vector<int64_t> LayerStep::with_senders(const std::vector<int64_t>& wanted,
                                             int64_t removed) {
  std::vector<int64_t> nodes;
  const auto add = [&](int64_t v) {
    int64_t& place = place_[static_cast<size_t>(v)];
    if (v == removed || place >= 0) return;
    place = 0;
    nodes.push_back(v);
  };
  for (const int64_t v : wanted) {
    add(v);
    senders_.for_each(v, add);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

OrderedGnn::State LayerStep::gathered(const KnownRows& before,
                                      const KnownRows& changed,
                                      const std::vector<int64_t>& nodes) const {
  std::vector<int64_t> places;
  places.reserve(nodes.size());
  for (const int64_t v : nodes) places.push_back(before.row_of(v));
  OrderedGnn::State state = selected(before.state, places);
  std::vector<int64_t> from, to;
  for (size_t i = 0; i < changed.nodes.size(); ++i) {
    const int64_t place = place_[static_cast<size_t>(changed.nodes[i])];
    if (place < 0) continue;
    from.push_back(static_cast<int64_t>(i));
    to.push_back(place);
  }
  if (from.empty()) return state;
  const OrderedGnn::State rows = selected(changed.state, from);
  state.h.index_copy_(0, index_of(to), rows.h);
  if (state.gate.defined()) state.gate.index_copy_(0, index_of(to), rows.gate);
  return state;
}

// In the order of the whole graph, so that sums are made in its order.
Graph LayerStep::local_graph(const std::vector<int64_t>& nodes,
                             const std::vector<int64_t>& wanted,
                             int64_t removed) const {
  PartEdges edges(weights_);
  for (const int64_t v : wanted) {
    const int64_t receiver = place_[static_cast<size_t>(v)];
    senders_.for_each_edge(v, [&](int64_t u, int64_t e) {
      if (u == removed) return;
      edges.add(place_[static_cast<size_t>(u)], receiver, e);
    });
  }
  return edges.graph(static_cast<int64_t>(nodes.size()));
}

}  // namespace ordered_gnn::explain
