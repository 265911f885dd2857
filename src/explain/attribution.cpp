#include "ordered_gnn/explain/attribution.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "explain/attribute_passes.h"
#include "explain/contribution_sums.h"
#include "explain/heard_graph.h"
#include "explain/integrated_gradients.h"
#include "explain/log_odds.h"
#include "explain/node_run.h"
#include "explain/told_labels.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "train/evaluation_context.h"

namespace ordered_gnn {
namespace {

// A backward pass costs about two forward passes.
constexpr int64_t kPassesPerStep = 3;

void check_attribution(const NodeDataset& data, const NodeTable& nodes,
                       int64_t node, const AttributionOptions& options) {
  if (node < 0 || node >= data.num_nodes()) {
    fail("there is no node {}; dataset {} has nodes 0 to {}", node, data.name,
         data.num_nodes() - 1);
  }
  if (nodes.num_nodes() != data.num_nodes()) {
    fail("the table is of {} nodes, dataset {} has {}", nodes.num_nodes(),
         data.name, data.num_nodes());
  }
  if (options.min_steps < 1 || options.max_steps < options.min_steps ||
      !(options.tolerance >= 0) || options.max_removals < 0 ||
      options.max_neighbours < 0 || options.max_visits < 0) {
    fail(
        "an attribution takes 1 step or more, at most max_steps, and caps that "
        "are not negative");
  }
}

double log_odds_of(const at::Tensor& logits, int64_t of_class) {
  return explain::log_odds(logits, torch::tensor({of_class}, at::kLong))
      .item<double>();
}

// The answer now and that of a baseline node.
void fill_ends(const explain::NodeQuestion& question,
               const explain::FeaturePath& path, const NodeFeatures& features,
               NodeAttribution& out) {
  const at::Tensor now = question.logits(features);
  const explain::Answer answer = explain::answer_of(now);
  const at::Tensor base = question.logits(path.at(0).features);
  const auto c = static_cast<size_t>(answer.predicted);
  out.predicted = answer.predicted;
  out.probability = answer.probabilities[c];
  out.baseline_probability = explain::answer_of(base).probabilities[c];
  out.log_odds = log_odds_of(now, answer.predicted);
  out.baseline_log_odds = log_odds_of(base, answer.predicted);
}

// Takes more steps until the sum is right; the attributions, undefined when the
// model does not read features.
at::Tensor refined(const explain::NodeQuestion& question,
                   const explain::FeaturePath& path, int64_t most_steps,
                   const AttributionOptions& options, NodeAttribution& out) {
  const double difference = out.log_odds - out.baseline_log_odds;
  const double allowed =
      options.tolerance * std::max(1.0, std::fabs(difference));
  at::Tensor attributions;
  int64_t steps = options.min_steps;
  do {
    attributions =
        explain::integrated_gradients(question, path, out.predicted, steps);
    if (!attributions.defined()) return {};
    out.steps = steps;
    out.residual = attributions.sum().item<double>() - difference;
    steps *= 3;
  } while (std::fabs(out.residual) > allowed && steps <= most_steps);
  return attributions;
}

void fill_removals(const explain::NodeQuestion& question,
                   const explain::FeaturePath& path,
                   const std::vector<Attribute>& attributes, int64_t most,
                   NodeAttribution& out) {
  const auto c = static_cast<size_t>(out.predicted);
  for (AttributeContribution& one : out.attributes) {
    if (most-- <= 0 || one.own == 0) break;
    const at::Tensor logits = question.logits(path.without(
        question.place(), attributes[static_cast<size_t>(one.attribute)]));
    const explain::Answer then = explain::answer_of(logits);
    one.removal = {then.probabilities[c] - out.probability,
                   log_odds_of(logits, out.predicted) - out.log_odds,
                   then.predicted};
  }
}

// The contributing nodes other than the one that is explained.
void fill_neighbours(const std::vector<double>& by_place,
                     const explain::HeardPart& part, int64_t place,
                     const Graph& heard, int64_t most, NodeAttribution& out) {
  std::vector<NodeContribution> all;
  for (size_t i = 0; i < by_place.size(); ++i) {
    if (by_place[i] == 0 || static_cast<int64_t>(i) == place) continue;
    all.push_back({part.nodes[i], 0, by_place[i]});
  }
  out.num_neighbours = static_cast<int64_t>(all.size());
  std::stable_sort(all.begin(), all.end(),
                   [](const NodeContribution& a, const NodeContribution& b) {
                     return std::fabs(a.contribution) >
                            std::fabs(b.contribution);
                   });
  all.resize(std::min(all.size(), static_cast<size_t>(most)));
  const explain::Reached reached =
      explain::reach(heard, out.node, heard.num_nodes());
  for (NodeContribution& one : all) {
    const auto found =
        std::find(reached.nodes.begin(), reached.nodes.end(), one.node);
    if (found == reached.nodes.end()) continue;
    one.distance =
        reached.distance[static_cast<size_t>(found - reached.nodes.begin())];
  }
  out.neighbours = std::move(all);
}

void attribute_part(const explain::NodeQuestion& question,
                    const explain::HeardPart& part, const NodeDataset& data,
                    const Graph& heard, int64_t rounds,
                    const AttributionOptions& options, NodeAttribution& out) {
  const explain::FeaturePath path(part.features,
                                  attribution_baseline(data.features));
  fill_ends(question, path, part.features, out);
  const int64_t one =
      explain::pass_visits(part.edges.size(1), part.features, rounds);
  const int64_t most_steps =
      std::min(options.max_steps, options.max_visits / (kPassesPerStep * one));
  const at::Tensor attributions =
      refined(question, path, most_steps, options, out);
  if (!attributions.defined()) {
    out = {};
    out.why_none = explain::kReadsNoAttributes;
    return;
  }
  const std::vector<Attribute> attributes = attributes_of(data);
  const std::vector<double> by_place = explain::add_contributions(
      path, attributions, attributes, question.place(), out);
  for (AttributeContribution& entry : out.attributes) {
    entry.value = attribute_text(
        data, attributes[static_cast<size_t>(entry.attribute)], out.node);
  }
  fill_removals(question, path, attributes,
                std::min(options.max_removals,
                         std::max<int64_t>(options.max_visits / one, 1)),
                out);
  fill_neighbours(by_place, part, question.place(), heard,
                  options.max_neighbours, out);
}

}  // namespace

at::Tensor attribution_baseline(const NodeFeatures& features) {
  const torch::NoGradGuard no_grad;
  if (features.kind() == NodeFeatures::Kind::dense &&
      features.num_nodes() > 0) {
    return features.dense_values().mean(0, false, at::kDouble).to(at::kFloat);
  }
  return torch::zeros({features.num_features()}, at::kFloat);
}

NodeAttribution attribute_node(NodeModel& model, const NodeDataset& data,
                               const NodeTable& nodes, int64_t node,
                               const AttributionOptions& options) {
  const ThreadScope threads;
  check_attribution(data, nodes, node, options);
  NodeAttribution out;
  out.why_none = explain::why_no_attributes(data, nodes.num_classes);
  if (out.why_none.empty()) {
    const torch::NoGradGuard no_grad;
    model.eval();
    out.node = node;
    const training::EvaluationContext context(model, data,
                                              explain::told_labels(nodes));
    const int64_t rounds = nodes.num_hops;
    const bool is_local = context.is_empty() && !model.needs_whole_graph();
    const explain::HeardPart part =
        explain::heard_part(data, node, is_local ? rounds : -1);
    attribute_part({model, part, node, context.forward()}, part, data,
                   explain::heard_graph(model, data.graph), rounds, options,
                   out);
  }
  out.node = node;
  return out;
}

}  // namespace ordered_gnn
