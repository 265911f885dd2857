#include "ordered_gnn/data/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "data/components.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double ratio(double part, double whole) {
  return whole == 0 ? kUndefined : part / whole;
}

// Calls body(row, column) for every entry but the loops.
template <typename Index, typename Body>
void for_each_entry(const Adjacency& adjacency, const Body& body) {
  const int64_t* const rowptr = adjacency.rowptr.data_ptr<int64_t>();
  const Index* const col = adjacency.col.data_ptr<Index>();
  for (int64_t v = 0; v + 1 < adjacency.rowptr.size(0); ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      if (col[e] != v) body(v, static_cast<int64_t>(col[e]));
    }
  }
}

template <typename Body>
void for_each_pair(const Adjacency& adjacency, const Body& body) {
  if (adjacency.col.scalar_type() == at::kInt) {
    for_each_entry<int32_t>(adjacency, body);
  } else {
    for_each_entry<int64_t>(adjacency, body);
  }
}

DegreeSummary summarize(std::vector<int64_t> degrees) {
  DegreeSummary summary;
  const size_t size = degrees.size();
  if (size == 0) return summary;
  std::sort(degrees.begin(), degrees.end());
  const auto quantile = [&](size_t quarters) {
    return degrees[(quarters * size + 3) / 4 - 1];
  };
  summary.min = degrees.front();
  summary.quartile1 = quantile(1);
  summary.median = quantile(2);
  summary.quartile3 = quantile(3);
  summary.max = degrees.back();
  summary.mean = std::accumulate(degrees.begin(), degrees.end(), 0.0) /
                 static_cast<double>(size);
  return summary;
}

std::optional<WeightSummary> summarize_weights(const at::Tensor& weights) {
  if (!weights.defined() || weights.numel() == 0) return std::nullopt;
  const at::Tensor flat = weights.contiguous();
  const float* const begin = flat.data_ptr<float>();
  const float* const end = begin + flat.numel();
  const auto [least, most] = std::minmax_element(begin, end);
  return WeightSummary{
      *least, *most,
      std::accumulate(begin, end, 0.0) / static_cast<double>(flat.numel())};
}

std::vector<int64_t> class_sizes(const RawDataset& raw,
                                 const at::Tensor& nodes) {
  std::vector<int64_t> sizes(raw.num_classes, 0);
  const at::Tensor labels = raw.labels.contiguous();
  const at::Tensor flat = nodes.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  const int64_t* const node = flat.data_ptr<int64_t>();
  for (int64_t i = 0; i < flat.size(0); ++i) {
    if (label[node[i]] >= 0) ++sizes[label[node[i]]];
  }
  return sizes;
}

void add_label_statistics(const RawDataset& raw, DatasetStatistics& out) {
  const at::Tensor labels = raw.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  out.class_sizes.assign(raw.num_classes, 0);
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    if (label[v] >= 0) ++out.class_sizes[label[v]];
  }
  out.num_labelled = std::accumulate(out.class_sizes.begin(),
                                     out.class_sizes.end(), int64_t{0});
  for (const Split& split : raw.splits) {
    out.split_class_sizes.push_back({class_sizes(raw, split.train),
                                     class_sizes(raw, split.val),
                                     class_sizes(raw, split.test)});
  }
}

void add_structure(const Graph& graph, DatasetStatistics& out) {
  const int64_t num_nodes = graph.num_nodes();
  std::vector<int64_t> in_degree(num_nodes, 0);
  std::vector<int64_t> out_degree(num_nodes, 0);
  data::Components components(num_nodes);
  for_each_pair(graph.in(), [&](int64_t receiver, int64_t sender) {
    ++in_degree[receiver];
    ++out_degree[sender];
    components.join(receiver, sender);
  });
  for (int64_t v = 0; v < num_nodes; ++v) {
    out.isolated_nodes += in_degree[v] == 0 && out_degree[v] == 0;
  }
  out.num_components = components.count();
  out.largest_component = components.largest();
  out.in_degree = summarize(std::move(in_degree));
  out.out_degree = summarize(std::move(out_degree));
}

// Over distinct unordered pairs, a loop being a pair of its own: the count that
// published statistics of these graphs use.
double edge_homophily(const Graph& both_ways, const int64_t* label) {
  const int64_t* const rowptr = both_ways.in().rowptr.data_ptr<int64_t>();
  const at::Tensor wide = both_ways.in().col.to(at::kLong);
  const int64_t* const col = wide.data_ptr<int64_t>();
  double labelled = 0;
  double same = 0;
  for (int64_t v = 0; v < both_ways.num_nodes(); ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1] && col[e] <= v; ++e) {
      if (label[v] < 0 || label[col[e]] < 0) continue;
      ++labelled;
      same += label[v] == label[col[e]];
    }
  }
  return ratio(same, labelled);
}

// Numbers that two rising lists share, `node` left out.
template <typename Index>
int64_t shared_neighbours(const Index* a, const Index* a_end, const Index* b,
                          const Index* b_end, int64_t node) {
  int64_t shared = 0;
  while (a != a_end && b != b_end) {
    if (*a == *b) {
      shared += *a != node;
      ++a, ++b;
    } else if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return shared;
}

// Edges but loops whose reverse is there: who sends to a node and hears it.
template <typename Index>
int64_t count_reciprocal(const Graph& graph) {
  const int64_t* const in = graph.in().rowptr.data_ptr<int64_t>();
  const int64_t* const out = graph.out().rowptr.data_ptr<int64_t>();
  const Index* const senders = graph.in().col.data_ptr<Index>();
  const Index* const receivers = graph.out().col.data_ptr<Index>();
  int64_t count = 0;
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    count += shared_neighbours(senders + in[v], senders + in[v + 1],
                               receivers + out[v], receivers + out[v + 1], v);
  }
  return count;
}

double adjusted_homophily(const Graph& graph, const int64_t* label,
                          int64_t num_classes) {
  std::vector<double> received(num_classes, 0);
  std::vector<double> sent(num_classes, 0);
  double labelled = 0;
  double same = 0;
  for_each_pair(graph.in(), [&](int64_t receiver, int64_t sender) {
    if (label[receiver] < 0 || label[sender] < 0) return;
    ++labelled;
    same += label[receiver] == label[sender];
    ++received[label[receiver]];
    ++sent[label[sender]];
  });
  const double share = ratio(same, labelled);
  const double expected = ratio(
      std::inner_product(received.begin(), received.end(), sent.begin(), 0.0),
      labelled * labelled);
  return ratio(share - expected, 1 - expected);
}

// Over the graph with every edge both ways, so that a node's neighbourhood
// does not depend on which way an edge was stored.
double node_homophily(const Graph& both_ways, const int64_t* label) {
  const int64_t num_nodes = both_ways.num_nodes();
  std::vector<double> labelled(num_nodes, 0);
  std::vector<double> same(num_nodes, 0);
  for_each_pair(both_ways.in(), [&](int64_t node, int64_t neighbour) {
    if (label[node] < 0 || label[neighbour] < 0) return;
    ++labelled[node];
    same[node] += label[node] == label[neighbour];
  });
  double sum = 0;
  double count = 0;
  for (int64_t v = 0; v < num_nodes; ++v) {
    if (labelled[v] == 0) continue;
    sum += same[v] / labelled[v];
    ++count;
  }
  return ratio(sum, count);
}

double feature_density(const NodeFeatures& features) {
  const double cells = static_cast<double>(features.num_nodes()) *
                       static_cast<double>(features.num_features());
  const bool dense = features.kind() == NodeFeatures::Kind::dense;
  const at::Tensor& values =
      dense ? features.dense_values() : features.rows().value;
  const float* const data = values.data_ptr<float>();
  const int64_t zeros = std::count(data, data + values.numel(), 0.0f);
  return ratio(static_cast<double>(values.numel() - zeros), cells);
}

nlohmann::ordered_json weights_json(
    const std::optional<WeightSummary>& summary) {
  if (!summary) return nullptr;
  return {
      {"min", summary->min}, {"max", summary->max}, {"mean", summary->mean}};
}

nlohmann::ordered_json degrees_json(const DegreeSummary& summary) {
  return {{"min", summary.min},       {"quartile1", summary.quartile1},
          {"median", summary.median}, {"quartile3", summary.quartile3},
          {"max", summary.max},       {"mean", summary.mean}};
}

Graph graph_with_loops(const RawDataset& raw, Direction direction) {
  GraphOptions options;
  options.direction = direction;
  options.self_loops = SelfLoops::keep;
  return Graph::from_edges(raw.num_nodes, raw.edges, options);
}

}  // namespace

double reciprocal_share(const Graph& graph) {
  const int64_t edges = graph.num_edges() - graph.num_self_loops();
  const bool narrow = graph.in().col.scalar_type() == at::kInt;
  const int64_t both = narrow ? count_reciprocal<int32_t>(graph)
                              : count_reciprocal<int64_t>(graph);
  return ratio(static_cast<double>(both), static_cast<double>(edges));
}

DatasetStatistics compute_statistics(const RawDataset& raw,
                                     Direction direction) {
  validate(raw);
  const Graph both_ways = graph_with_loops(raw, Direction::undirected);
  const Graph graph =
      raw.edges_are_undirected ? both_ways : graph_with_loops(raw, direction);
  DatasetStatistics out;
  out.name = raw.name;
  out.num_nodes = raw.num_nodes;
  out.num_self_loops = graph.num_self_loops();
  out.num_edges = graph.num_edges() - graph.num_self_loops();
  out.num_duplicates = graph.num_duplicates();
  out.num_stored_edges = raw.edges.size(1);
  out.num_undirected_edges =
      (both_ways.num_edges() - both_ways.num_self_loops()) / 2;
  out.edge_weights = summarize_weights(raw.edge_weights);
  out.reciprocal_share = reciprocal_share(graph);
  out.num_features = raw.features.num_features();
  out.feature_density = feature_density(raw.features);
  out.num_classes = raw.num_classes;
  out.num_splits = static_cast<int64_t>(raw.splits.size());
  add_label_statistics(raw, out);
  add_structure(graph, out);
  const at::Tensor labels = raw.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  out.edge_homophily = edge_homophily(both_ways, label);
  out.node_homophily = node_homophily(both_ways, label);
  out.adjusted_homophily = adjusted_homophily(graph, label, raw.num_classes);
  return out;
}

void to_json(nlohmann::ordered_json& json,
             const DatasetStatistics& statistics) {
  const DatasetStatistics& s = statistics;
  json = {{"name", s.name},
          {"num_nodes", s.num_nodes},
          {"num_edges", s.num_edges},
          {"num_self_loops", s.num_self_loops},
          {"num_duplicates", s.num_duplicates},
          {"num_stored_edges", s.num_stored_edges},
          {"num_undirected_edges", s.num_undirected_edges},
          {"edge_weights", weights_json(s.edge_weights)},
          {"reciprocal_share", s.reciprocal_share},
          {"num_features", s.num_features},
          {"feature_density", s.feature_density},
          {"num_classes", s.num_classes},
          {"num_labelled", s.num_labelled},
          {"num_splits", s.num_splits},
          {"edge_homophily", s.edge_homophily},
          {"node_homophily", s.node_homophily},
          {"adjusted_homophily", s.adjusted_homophily},
          {"isolated_nodes", s.isolated_nodes},
          {"num_components", s.num_components},
          {"largest_component", s.largest_component},
          {"in_degree", degrees_json(s.in_degree)},
          {"out_degree", degrees_json(s.out_degree)},
          {"class_sizes", s.class_sizes}};
  auto splits = nlohmann::ordered_json::array();
  for (const SplitClassSizes& sizes : s.split_class_sizes) {
    splits.push_back(
        {{"train", sizes.train}, {"val", sizes.val}, {"test", sizes.test}});
  }
  json["split_class_sizes"] = std::move(splits);
}

}  // namespace ordered_gnn
