#include "ordered_gnn/explain/graph_explanation.h"

#include "core/names.h"
#include "data/class_names.h"
#include "explain/finished_graph.h"
#include "explain/listed_nodes.h"
#include "explain/node_groups.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

LayerExplanation describe_layer(const Graph& graph, const LayerTrace& layer) {
  LayerExplanation out;
  out.layer = layer.layer;
  out.width = layer.state.size(1);
  try {
    out.spread = measure_spread(graph, layer.state);
    if (layer.gate.defined()) {
      out.gates = describe_gates(layer.gate, out.width / layer.gate.size(1),
                                 layer.orders);
    }
  } catch (const Error& error) {
    fail("layer {}: {}", layer.layer, error.what());
  }
  return out;
}

PartScores scores_of(const NodeTable& table, const std::string& name,
                     NodePart part) {
  std::vector<int64_t> nodes;
  for (size_t v = 0; v < table.part.size(); ++v) {
    if (part != NodePart::none && table.part[v] != part) continue;
    nodes.push_back(static_cast<int64_t>(v));
  }
  return score_part(name, nodes, table.label, table.predicted, table.confidence,
                    table.num_classes);
}

void check_lengths(const GraphExplanationOptions& options) {
  if (options.mistakes >= 0 && options.unusual >= 0) return;
  fail("lists of {} mistakes and {} unusual nodes cannot be", options.mistakes,
       options.unusual);
}

}  // namespace

const PartScores& GraphExplanation::part(const std::string& name) const {
  std::vector<std::string> names;
  for (const PartScores& scores : parts) {
    if (scores.name == name) return scores;
    names.push_back(scores.name);
  }
  throw Error(core::unknown_name_message("part", name, names));
}

void explain::finish_graph(const std::vector<std::string>& class_names,
                           bool has_split,
                           const GraphExplanationOptions& options,
                           GraphExplanation& out) {
  check_lengths(options);
  const NodeTable& nodes = out.nodes;
  out.all = explain::all_nodes(nodes);
  out.by_class = explain::groups_by_class(
      // A model may know classes that the data does not name.
      nodes, data::all_class_names(class_names, nodes.num_classes));
  out.by_degree = explain::groups_by_degree(nodes);
  out.by_homophily = explain::groups_by_homophily(nodes);
  if (has_split) {
    out.by_part = explain::groups_by_part(nodes);
    out.parts.push_back(scores_of(nodes, "train", NodePart::train));
    out.parts.push_back(scores_of(nodes, "val", NodePart::val));
    out.parts.push_back(scores_of(nodes, "test", NodePart::test));
  }
  out.parts.push_back(scores_of(nodes, "all", NodePart::none));
  out.mistakes =
      explain::confident_mistakes(nodes, has_split, options.mistakes);
  out.unusual = explain::unusual_shares(nodes, options.unusual);
}

GraphExplanation explain_graph(NodeModel& model, const NodeDataset& data,
                               const GraphExplanationOptions& options) {
  const ThreadScope threads;
  check_lengths(options);
  const bool has_no_splits = data.splits.empty() && options.split == 0;
  const int64_t split = has_no_splits ? -1 : options.split;
  GraphExplanation out;
  out.nodes = describe_nodes(model, data, split, [&](const LayerTrace& layer) {
    out.layers.push_back(describe_layer(data.graph, layer));
  });
  explain::finish_graph(data.class_names, split >= 0, options, out);
  return out;
}

}  // namespace ordered_gnn
