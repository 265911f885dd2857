#include "ordered_gnn/explain/attribute_importance.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "explain/attribute_passes.h"
#include "explain/contribution_sums.h"
#include "explain/log_odds.h"
#include "explain/shuffled_features.h"
#include "explain/told_labels.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/train/metrics.h"
#include "train/evaluation_context.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kLeastAttributes = 5;

// The model on a graph whose features may differ, and what it is scored on.
struct ScoredModel {
  NodeModel& model;
  const NodeDataset& data;
  ForwardContext context;
  at::Tensor nodes;  // [n] int64
  Metric metric;

  at::Tensor logits(const NodeFeatures& features) const {
    return model.forward(data.graph, features, context);
  }
  double score(const NodeFeatures& features) const {
    return select(score_nodes(logits(features), data.labels, nodes), metric);
  }
};

void check_importance(const NodeDataset& data, const NodeTable& nodes,
                      const ImportanceOptions& options) {
  if (nodes.num_nodes() != data.num_nodes()) {
    fail("the table is of {} nodes, dataset {} has {}", nodes.num_nodes(),
         data.name, data.num_nodes());
  }
  if (options.repeats < 1 || options.max_attributes < 1 ||
      options.max_visits < 0) {
    fail("importance takes 1 repeat and 1 attribute or more, got {} and {}",
         options.repeats, options.max_attributes);
  }
}

std::vector<int64_t> labelled_in(const NodeTable& table, NodePart part) {
  std::vector<int64_t> out;
  for (size_t v = 0; v < table.label.size(); ++v) {
    const bool is_in = part == NodePart::none || table.part[v] == part;
    if (is_in && table.label[v] >= 0) out.push_back(static_cast<int64_t>(v));
  }
  return out;
}

// The nodes that are scored, and their name in the report.
std::vector<int64_t> scored_nodes(const NodeTable& table, std::string& name) {
  for (const auto& [part, word] :
       {std::pair{NodePart::test, "test"}, std::pair{NodePart::val, "val"}}) {
    std::vector<int64_t> nodes = labelled_in(table, part);
    if (nodes.empty()) continue;
    name = word;
    return nodes;
  }
  name = "all";
  return labelled_in(table, NodePart::none);
}

// How much the scored log-odds depend on each attribute; empty when the model
// does not read features.
std::vector<double> dependence(const ScoredModel& scored,
                               const std::vector<Attribute>& attributes) {
  const explain::FeaturePath path(scored.data.features,
                                  attribution_baseline(scored.data.features));
  const explain::FeaturePoint point = path.at(1);
  at::Tensor gradient;
  {
    const at::AutoGradMode with_gradients(true);
    const at::Tensor logits =
        scored.logits(point.features).index_select(0, scored.nodes);
    gradient = explain::gradient_at(
        point, explain::log_odds(logits, logits.detach().argmax(1)).sum());
  }
  if (!gradient.defined()) return {};
  const std::vector<int64_t> attribute =
      explain::attribute_by_feature(attributes, path.num_features());
  std::vector<double> sums(attributes.size());
  int64_t last_node = -1, last = -1;
  double of_node = 0;
  const auto close = [&] {
    if (last >= 0) sums[static_cast<size_t>(last)] += std::fabs(of_node);
    of_node = 0;
  };
  path.for_each(path.difference() * gradient,
                [&](int64_t node, int64_t feature, double value) {
                  const int64_t a = attribute[static_cast<size_t>(feature)];
                  if (node != last_node || a != last) close();
                  last_node = node;
                  last = a;
                  of_node += value;
                });
  close();
  return sums;
}

// Those to try: the strongest, in the order of the dataset.
std::vector<size_t> chosen_attributes(const std::vector<double>& strength,
                                      int64_t most) {
  std::vector<size_t> order(strength.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return strength[a] > strength[b];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(most)));
  std::sort(order.begin(), order.end());
  return order;
}

int64_t affordable(const ScoredModel& scored, int64_t rounds,
                   const ImportanceOptions& options) {
  const int64_t one = explain::pass_visits(scored.data.graph.num_edges(),
                                           scored.data.features, rounds);
  return std::min(
      options.max_attributes,
      std::max(kLeastAttributes, options.max_visits / (options.repeats * one)));
}

// A stream of its own for every shuffle: what is tried besides does not matter.
at::Tensor shuffle_order(const ImportanceOptions& options, size_t attribute,
                         int64_t repeat, int64_t num_nodes) {
  RandomStream random(options.seed, (uint64_t{attribute} << 24) +
                                        static_cast<uint64_t>(repeat));
  return random_permutation(num_nodes, random);
}

AttributeImportance importance_of(const ScoredModel& scored,
                                  const Attribute& attribute, size_t place,
                                  double score,
                                  const ImportanceOptions& options) {
  std::vector<double> drops;
  for (int64_t repeat = 0; repeat < options.repeats; ++repeat) {
    const at::Tensor order =
        shuffle_order(options, place, repeat, scored.data.num_nodes());
    drops.push_back(score - scored.score(explain::shuffled_features(
                                scored.data.features, attribute, order)));
  }
  const auto count = static_cast<double>(drops.size());
  const double mean = std::accumulate(drops.begin(), drops.end(), 0.0) / count;
  double squares = 0;
  for (const double drop : drops) squares += (drop - mean) * (drop - mean);
  return {static_cast<int64_t>(place), attribute.name, mean,
          drops.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                           : std::sqrt(squares / (count - 1) / count)};
}

void fill_report(ScoredModel& scored, int64_t rounds,
                 const ImportanceOptions& options, ImportanceReport& out) {
  const std::vector<Attribute> attributes = attributes_of(scored.data);
  const std::vector<double> strength = dependence(scored, attributes);
  if (strength.empty()) {
    out.why_none = explain::kReadsNoAttributes;
    return;
  }
  out.score = scored.score(scored.data.features);
  if (!std::isfinite(out.score)) {
    out.metric = scored.metric = Metric::accuracy;
    out.score = scored.score(scored.data.features);
  }
  out.repeats = options.repeats;
  out.num_attributes = static_cast<int64_t>(attributes.size());
  for (const size_t a :
       chosen_attributes(strength, affordable(scored, rounds, options))) {
    out.attributes.push_back(
        importance_of(scored, attributes[a], a, out.score, options));
  }
  std::stable_sort(
      out.attributes.begin(), out.attributes.end(),
      [](const AttributeImportance& a, const AttributeImportance& b) {
        return a.drop > b.drop;
      });
}

}  // namespace

ImportanceReport attribute_importance(NodeModel& model, const NodeDataset& data,
                                      const NodeTable& nodes,
                                      const ImportanceOptions& options) {
  const ThreadScope threads;
  check_importance(data, nodes, options);
  ImportanceReport out;
  out.metric = options.metric;
  const std::vector<int64_t> scored = scored_nodes(nodes, out.part);
  out.nodes = static_cast<int64_t>(scored.size());
  out.why_none = explain::why_no_attributes(data, nodes.num_classes);
  if (out.why_none.empty() && scored.empty()) {
    out.why_none = "There are no labels to score against.";
  }
  if (!out.why_none.empty()) return out;
  const torch::NoGradGuard no_grad;
  model.eval();
  const training::EvaluationContext context(model, data,
                                            explain::told_labels(nodes));
  ScoredModel asked{model, data, context.forward(),
                    torch::tensor(scored, at::kLong), options.metric};
  fill_report(asked, nodes.num_hops, options, out);
  return out;
}

}  // namespace ordered_gnn
