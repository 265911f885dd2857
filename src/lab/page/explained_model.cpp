#include "lab/page/explained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/out_of_memory.h"
#include "data/class_names.h"
#include "explain/heard_graph.h"
#include "lab/runs/curves.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/prediction.h"

namespace ordered_gnn::lab {
namespace {

// Edges times layers that explanations of listed nodes may take together.
constexpr int64_t kListedWork = 10000000;
constexpr int64_t kListedRemovals = 8;
// The same for their attributes, and for the importance of attributes.
constexpr int64_t kListedAttributionWork = 40000000;
constexpr int64_t kListedSteps = 27;
constexpr int64_t kListedAttributeRemovals = 6;
constexpr int64_t kImportanceWork = 60000000;

void check_nodes(const std::vector<int64_t>& nodes, const NodeDataset& data) {
  for (const int64_t node : nodes) {
    if (node >= 0 && node < data.num_nodes()) continue;
    throw UsageError(fmt::format("'{}' has no node {}; nodes are 0 to {}",
                                 data.name, node, data.num_nodes() - 1));
  }
}

std::vector<std::string> class_names_of(const Trained& checkpoint,
                                        const NodeDataset& data) {
  return ordered_gnn::data::all_class_names(checkpoint.class_names.empty()
                                                ? data.class_names
                                                : checkpoint.class_names,
                                            checkpoint.shape.num_classes);
}

// Curves are an extra: a damaged file must not cost the explanation.
std::vector<Json> curves_beside(const std::filesystem::path& checkpoint) {
  const std::filesystem::path metrics =
      checkpoint.parent_path() / "metrics.jsonl";
  std::error_code ignored;
  if (!std::filesystem::exists(metrics, ignored)) return {};
  try {
    return read_metrics(metrics);
  } catch (const Error&) {
    return {};
  }
}

// Listed nodes that were not asked for, mistakes and unusual ones in turn.
std::vector<int64_t> listed_nodes(const GraphExplanation& graph,
                                  std::vector<int64_t> done, size_t most) {
  std::vector<int64_t> out;
  const size_t longest = std::max(graph.mistakes.size(), graph.unusual.size());
  for (size_t i = 0; i < longest; ++i) {
    for (const auto* list : {&graph.mistakes, &graph.unusual}) {
      if (i >= list->size() || out.size() >= most) continue;
      const int64_t node = (*list)[i].node;
      if (std::count(done.begin(), done.end(), node) > 0) continue;
      out.push_back(node);
      done.push_back(node);
    }
  }
  return out;
}

// Goes on with the listed nodes until the work is done: at least one of them.
void attribute_listed(NodeModel& model, const NodeDataset& data,
                      ExplainedModel& out) {
  const int64_t hops = std::max<int64_t>(out.graph.nodes.num_hops, 1);
  const int64_t pass =
      hops * (data.graph.num_edges() + data.graph.num_nodes()) + 1;
  // A step is a pass forward and one, of twice the work, backward.
  const int64_t one =
      pass * (3 * AttributionOptions().min_steps + kListedAttributeRemovals);
  const auto most =
      static_cast<size_t>(std::max<int64_t>(kListedAttributionWork / one, 1));
  AttributionOptions options;
  options.max_steps = kListedSteps;
  options.max_removals = kListedAttributeRemovals;
  options.max_visits = kListedAttributionWork;
  const size_t asked = out.attributions.size();
  const size_t end = std::min(out.nodes.size(), asked + most);
  for (size_t i = asked; i < end; ++i) {
    out.attributions.push_back(attribute_node(model, data, out.graph.nodes,
                                              out.nodes[i].node, options));
  }
}

void explain_listed(NodeModel& model, const NodeDataset& data,
                    ExplainedModel& out) {
  const int64_t hops = std::max<int64_t>(out.graph.nodes.num_hops, 1);
  // A node and at least one removal, if both take the whole graph.
  const int64_t one =
      2 * hops * (data.graph.num_edges() + data.graph.num_nodes());
  const int64_t most = std::max<int64_t>(kListedWork / one, 1);
  std::vector<int64_t> done;
  for (const NodeExplanation& node : out.nodes) done.push_back(node.node);
  const std::vector<int64_t> nodes =
      listed_nodes(out.graph, done, static_cast<size_t>(most));
  if (nodes.empty()) return;
  NodeExplanationOptions options;
  options.max_removals = kListedRemovals;
  options.max_edge_visits =
      kListedWork / static_cast<int64_t>(2 * nodes.size());
  for (const int64_t node : nodes) {
    out.nodes.push_back(
        explain_node(model, data, out.graph.nodes, node, options));
  }
  attribute_listed(model, data, out);
}

ImportanceReport importance_of_graph(const Trained& checkpoint,
                                     const NodeDataset& data,
                                     const NodeTable& nodes,
                                     int64_t attributes) {
  ImportanceOptions options;
  options.metric = checkpoint.options.train.metric;
  options.max_attributes = attributes;
  options.max_visits = kImportanceWork;
  return attribute_importance(*checkpoint.model, data, nodes, options);
}

// What is known of model and data before anything is computed.
ExplainedModel introduced_model(const Trained& checkpoint,
                                const NodeDataset& data,
                                const std::filesystem::path& file,
                                int64_t split) {
  ExplainedModel out;
  out.dataset = data.name;
  out.options = checkpoint.options;
  for (const at::Tensor& parameter : checkpoint.model->parameters()) {
    out.num_parameters += parameter.numel();
  }
  out.num_features = checkpoint.shape.num_features;
  out.split = split;
  out.class_names = class_names_of(checkpoint, data);
  out.node_names = data.node_names;
  out.has_columns = !data.columns.empty();
  out.curves = curves_beside(file);
  return out;
}

}  // namespace

int64_t explained_split(const Trained& checkpoint, const NodeDataset& data,
                        int64_t asked) {
  const auto count = static_cast<int64_t>(data.splits.size());
  int64_t split = asked;
  if (split < 0) {
    split = checkpoint.result.split;
    if (split >= count) split = count > 0 ? 0 : -1;
  }
  if (split >= count) {
    throw UsageError(fmt::format("'{}' has {} splits, there is no split {}",
                                 data.name, count, split));
  }
  return split;
}

ExplainedModel explained_parts(const Trained& checkpoint,
                               const NodeDataset& data,
                               const std::filesystem::path& file, int64_t split,
                               GraphExplanation graph) {
  ExplainedModel out = introduced_model(checkpoint, data, file, split);
  out.graph = std::move(graph);
  const std::vector<int64_t>& degree = out.graph.nodes.degree;
  out.in_parts = ExplainedModel::Size{
      out.graph.nodes.num_nodes(),
      std::accumulate(degree.begin(), degree.end(), int64_t{0})};
  return out;
}

ExplainedModel explain_checkpoint(const Trained& checkpoint,
                                  const NodeDataset& data,
                                  const std::filesystem::path& file,
                                  const ExplainOptions& options) {
  check_nodes(options.nodes, data);
  require_prediction_memory(checkpoint, data, prediction_options(checkpoint));
  ExplainedModel out = introduced_model(
      checkpoint, data, file, explained_split(checkpoint, data, options.split));
  out.attributes = attributes_of(data);
  out.network = data.graph;
  out.heard = explain::heard_graph(*checkpoint.model, data.graph);
  GraphExplanationOptions of_graph;
  of_graph.split = out.split;
  out.graph = core::naming_activity(
      fmt::format("explaining {} nodes of '{}'", data.num_nodes(), data.name),
      [&] { return explain_graph(*checkpoint.model, data, of_graph); });
  for (const int64_t node : options.nodes) {
    out.nodes.push_back(explain_node(*checkpoint.model, data, out.graph.nodes,
                                     node, options.details));
    out.attributions.push_back(
        attribute_node(*checkpoint.model, data, out.graph.nodes, node));
  }
  if (options.listed_nodes) explain_listed(*checkpoint.model, data, out);
  if (options.importance) {
    out.importance = importance_of_graph(checkpoint, data, out.graph.nodes,
                                         options.importance_attributes);
  }
  return out;
}

std::string class_name(const ExplainedModel& model, int64_t c) {
  if (c < 0) return "unknown";
  const auto index = static_cast<size_t>(c);
  return index < model.class_names.size() ? model.class_names[index]
                                          : std::to_string(c);
}

std::string node_title(const ExplainedModel& model, int64_t node) {
  const auto index = static_cast<size_t>(node);
  const bool has_name =
      index < model.node_names.size() && !model.node_names[index].empty();
  return has_name ? model.node_names[index] : std::to_string(node);
}

int64_t runner_up(const NodeExplanation& node) {
  int64_t second = -1;
  for (int64_t c = 0; c < static_cast<int64_t>(node.probabilities.size());
       ++c) {
    if (c == node.predicted) continue;
    if (second < 0 || node.probabilities[static_cast<size_t>(c)] >
                          node.probabilities[static_cast<size_t>(second)]) {
      second = c;
    }
  }
  return second;
}

const NodeAttribution* attribution_of(const ExplainedModel& model,
                                      int64_t node) {
  for (const NodeAttribution& one : model.attributions) {
    if (one.node == node) return &one;
  }
  return nullptr;
}

std::string attribute_word(const ExplainedModel& model) {
  return model.has_columns ? "column" : "feature";
}

}  // namespace ordered_gnn::lab
