#include "ordered_gnn/explain/node_explanation.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "explain/heard_graph.h"
#include "explain/node_run.h"
#include "explain/told_labels.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "train/evaluation_context.h"

namespace ordered_gnn {
namespace {

// Of a model that does not show its layers, or whose hops have no shares.
constexpr int64_t kUsualDepth = 2;

explain::NodeRun run(NodeModel& model, const explain::NodeRequest& request,
                     const explain::Reached& reached, int64_t rounds) {
  const auto* const layered = dynamic_cast<const OrderedGnn*>(&model);
  if (layered != nullptr && explain::has_local_layers(*layered)) {
    return explain::run_layer_by_layer(*layered, request, reached);
  }
  return explain::run_heard_part(model, request, rounds);
}

std::vector<Influence> influences_of(
    const explain::NodeRun& run,
    const std::vector<explain::Candidate>& candidates) {
  std::vector<Influence> out;
  const auto predicted = static_cast<size_t>(run.now.predicted);
  for (size_t i = 0; i < run.without.size(); ++i) {
    const explain::Answer& then = run.without[i];
    out.push_back(
        {candidates[i].node, candidates[i].distance,
         then.probabilities[predicted] - run.now.probabilities[predicted],
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
  const ThreadScope threads;
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
  const Graph heard = explain::heard_graph(model, data.graph);
  const explain::Reached reached = explain::reach(heard, node, hops);
  out.tree = explain::rooted_tree(heard, nodes, node, out.depth, options);
  out.hops = explain::hop_views(reached, nodes);
  const std::vector<explain::Candidate> candidates =
      explain::candidates(reached, nodes, out.depth);
  const training::EvaluationContext context(model, data,
                                            explain::told_labels(nodes));
  const bool is_local = context.is_empty() && !model.needs_whole_graph();
  const explain::NodeRun answers =
      run(model, {data, node, candidates, options, context.forward()}, reached,
          is_local ? rounds : -1);
  out.predicted = answers.now.predicted;
  out.logits = answers.now.logits;
  out.probabilities.assign(answers.now.probabilities.begin(),
                           answers.now.probabilities.end());
  out.cuts = answers.cuts;
  out.num_candidates = static_cast<int64_t>(candidates.size());
  out.influences = influences_of(answers, candidates);
  return out;
}

NodeExplanation explain_node(NodeModel& model, const NodeDataset& data,
                             int64_t node,
                             const NodeExplanationOptions& options) {
  const ThreadScope threads;
  check_request(data, node, options);  // before a pass for nothing
  const int64_t split = data.splits.empty() ? -1 : 0;
  return explain_node(model, data, describe_nodes(model, data, split), node,
                      options);
}

}  // namespace ordered_gnn
