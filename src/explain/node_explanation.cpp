#include "ordered_gnn/explain/node_explanation.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "explain/heard_part.h"
#include "explain/rooted_tree.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

// Of a model that does not show its layers, or whose hops have no shares.
constexpr int64_t kUsualDepth = 2;

// What a model says of one node.
struct Answer {
  std::vector<float> logits;
  std::vector<double> probabilities;
  int64_t predicted = 0;
};

Answer answer_of(const at::Tensor& logits) {
  const at::Tensor row = logits.reshape({-1}).to(at::kFloat).contiguous();
  const at::Tensor share = row.to(at::kDouble).softmax(0);
  const float* const value = row.data_ptr<float>();
  const double* const part = share.data_ptr<double>();
  Answer out;
  out.logits.assign(value, value + row.numel());
  out.probabilities.assign(part, part + row.numel());
  out.predicted = std::max_element(out.logits.begin(), out.logits.end()) -
                  out.logits.begin();
  return out;
}

Answer ask(NodeModel& model, const Graph& graph, const NodeFeatures& features,
           int64_t place, ForwardTrace* trace = nullptr) {
  return answer_of(model.forward(graph, features, {}, trace).select(0, place));
}

std::vector<float> as_floats(const std::vector<double>& values) {
  return std::vector<float>(values.begin(), values.end());
}

// The node's own numbers and the answers of its inner layers.
Answer ask_with_cuts(NodeModel& model, const detail::HeardPart& part,
                     int64_t place, NodeExplanation& out) {
  ForwardTrace trace;
  trace.on_layer = [&](const LayerTrace& layer) {
    const at::Tensor logits = model.classify(layer.state.narrow(0, place, 1));
    if (!logits.defined()) return;
    const Answer cut = answer_of(logits);
    out.cuts.push_back(
        {layer.layer, cut.predicted, as_floats(cut.probabilities)});
  };
  const Answer answer = ask(model, part.graph, part.features, place, &trace);
  out.predicted = answer.predicted;
  out.logits = answer.logits;
  out.probabilities = as_floats(answer.probabilities);
  return answer;
}

// Removals that the options leave room for.
size_t num_removals(size_t candidates, const detail::HeardPart& part,
                    int64_t rounds, const NodeExplanationOptions& options) {
  const int64_t visits =
      std::max<int64_t>(part.edges.size(1) * std::max<int64_t>(rounds, 1), 1);
  const int64_t affordable =
      std::max<int64_t>(options.max_edge_visits / visits, 1);
  return std::min({candidates, static_cast<size_t>(options.max_removals),
                   static_cast<size_t>(affordable)});
}

std::vector<Influence> influences_of(
    NodeModel& model, const detail::HeardPart& part, int64_t place,
    const Answer& now, const std::vector<detail::Candidate>& tried) {
  std::vector<Influence> out;
  const auto predicted = static_cast<size_t>(now.predicted);
  for (const detail::Candidate& candidate : tried) {
    const Graph graph = part.without(part.place_of(candidate.node));
    const Answer then = ask(model, graph, part.features, place);
    out.push_back({candidate.node, candidate.distance,
                   then.probabilities[predicted] - now.probabilities[predicted],
                   then.predicted});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Influence& a, const Influence& b) {
                     return std::fabs(a.change) > std::fabs(b.change);
                   });
  return out;
}

void check_request(const NodeDataset& data, int64_t node,
                   const NodeExplanationOptions& options) {
  if (node < 0 || node >= data.num_nodes()) {
    fail("there is no node {}; dataset {} has nodes 0 to {}", node, data.name,
         data.num_nodes() - 1);
  }
  if (!(options.covered >= 0 && options.covered <= 1)) {
    fail("a share of {} to cover is not in [0, 1]", options.covered);
  }
  if (options.max_children < 0 || options.max_tree_nodes < 1 ||
      options.max_removals < 0 || options.max_edge_visits < 0) {
    fail(
        "caps of an explanation are not negative, that of the tree at least "
        "1");
  }
}

}  // namespace

NodeExplanation explain_node(NodeModel& model, const NodeDataset& data,
                             const NodeTable& nodes, int64_t node,
                             const NodeExplanationOptions& options) {
  check_request(data, node, options);
  if (nodes.num_nodes() != data.num_nodes()) {
    fail("the table is of {} nodes, dataset {} has {}", nodes.num_nodes(),
         data.name, data.num_nodes());
  }
  const torch::NoGradGuard no_grad;
  model.eval();
  const auto v = static_cast<size_t>(node);
  NodeExplanation out;
  out.node = node;
  out.label = nodes.label[v];
  out.degree = nodes.degree[v];
  out.homophily = nodes.homophily[v];
  out.hop_shares = nodes.shares_of(node);
  const int64_t rounds = nodes.num_hops;
  const int64_t hops = rounds < 0 ? kUsualDepth : rounds;
  out.depth = nodes.has_shares()
                  ? depth_that_matters(out.hop_shares, options.covered)
                  : std::min(hops, kUsualDepth);
  const detail::Reached reached = detail::reach(data.graph, node, hops);
  out.tree = detail::rooted_tree(data.graph, nodes, node, out.depth, options);
  out.hops = detail::hop_views(reached, nodes);
  const detail::HeardPart part = detail::heard_part(data, node, rounds);
  const int64_t place = part.place_of(node);
  const Answer now = ask_with_cuts(model, part, place, out);
  std::vector<detail::Candidate> tried =
      detail::candidates(reached, nodes, out.depth);
  out.num_candidates = static_cast<int64_t>(tried.size());
  tried.resize(num_removals(tried.size(), part, rounds, options));
  out.influences = influences_of(model, part, place, now, tried);
  return out;
}

NodeExplanation explain_node(NodeModel& model, const NodeDataset& data,
                             int64_t node,
                             const NodeExplanationOptions& options) {
  check_request(data, node, options);  // before a pass for nothing
  return explain_node(model, data, describe_nodes(model, data), node, options);
}

}  // namespace ordered_gnn
