#include "support/changing_graph.h"

#include <algorithm>

#include "data/formats/tensor_of.h"
#include "support/features.h"

namespace ordered_gnn {

PlainGraph::PlainGraph(const RawDataset& raw) : raw_(raw) {
  const at::Tensor values = raw.features.to_dense();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    names_.push_back(raw.node_names.empty()
                         ? std::to_string(v)
                         : raw.node_names[static_cast<size_t>(v)]);
    const float* const row = values.data_ptr<float>() + v * values.size(1);
    features_[names_.back()] = {row, row + values.size(1)};
    labels_[names_.back()] = raw.labels[v].item<int64_t>();
  }
  read_edges();
}

// Repeats add up; of the two ways of an edge without direction the larger
// counts.
void PlainGraph::read_edges() {
  std::map<Edge, double> sums;
  for (int64_t e = 0; e < raw_.edges.size(1); ++e) {
    const auto end = [&](int64_t which) {
      return names_[static_cast<size_t>(raw_.edges[which][e].item<int64_t>())];
    };
    sums[{end(0), end(1)}] +=
        is_weighted() ? raw_.edge_weights[e].item<float>() : 1;
  }
  for (const auto& [edge, sum] : sums) {
    float& weight = edges_[stored(edge.first, edge.second)];
    weight = is_weighted() ? std::max(weight, static_cast<float>(sum)) : 1;
  }
}

PlainGraph::Edge PlainGraph::stored(const std::string& first,
                                    const std::string& second) const {
  if (!raw_.edges_are_undirected) return {first, second};
  return std::minmax(first, second);
}

void PlainGraph::apply(const data::GraphChange& change) {
  for (const auto& edge : change.remove_edges) {
    edges_.erase(stored(edge.first, edge.second));
  }
  for (const std::string& name : change.remove_nodes) {
    names_.erase(std::find(names_.begin(), names_.end(), name));
    for (auto edge = edges_.begin(); edge != edges_.end();) {
      const bool goes = edge->first.first == name || edge->first.second == name;
      edge = goes ? edges_.erase(edge) : std::next(edge);
    }
  }
  for (const auto& node : change.add_nodes) {
    names_.push_back(node.name);
    features_[node.name] = node.features;
    labels_[node.name] = node.label;
  }
  for (const auto& edge : change.add_edges) {
    edges_[stored(edge.first, edge.second)] = edge.weight.value_or(1);
  }
  for (const auto& one : change.set_features)
    features_[one.name] = one.features;
  for (const auto& one : change.set_labels) labels_[one.name] = one.label;
}

RawDataset PlainGraph::raw() const {
  RawDataset out = raw_;
  out.num_nodes = static_cast<int64_t>(names_.size());
  out.node_names = names_;
  std::map<std::string, int64_t> place;
  std::vector<at::Tensor> rows;
  std::vector<int64_t> labels, first, second;
  for (const std::string& name : names_) {
    place.emplace(name, static_cast<int64_t>(place.size()));
    rows.push_back(data::tensor_of(features_.at(name)));
    labels.push_back(labels_.at(name));
  }
  std::vector<float> weights;
  for (const auto& [edge, weight] : edges_) {
    first.push_back(place.at(edge.first));
    second.push_back(place.at(edge.second));
    weights.push_back(weight);
  }
  if (is_weighted()) out.edge_weights = data::tensor_of(weights);
  out.edges = at::stack({data::tensor_of(first), data::tensor_of(second)});
  out.labels = data::tensor_of(labels);
  const at::Tensor values = at::stack(rows);
  out.features = raw_.features.kind() == NodeFeatures::Kind::dense
                     ? NodeFeatures::dense(values)
                     : sparse_from(values);
  out.splits.clear();
  return out;
}

namespace {

// Draws what fits a graph into a change of it.
class ChangeDraw {
 public:
  ChangeDraw(const PlainGraph& graph, RandomStream& random, int64_t near)
      : graph_(graph), random_(random), near_(near) {}

  data::GraphChange draw() {
    data::GraphChange out;
    if (!graph_.edges().empty() && below(3) == 0) {
      auto edge = graph_.edges().begin();
      std::advance(edge, below(graph_.edges().size()));
      // What becomes of loops is up to the treatment.
      const auto& [first, second] = edge->first;
      if (first != second) out.remove_edges.emplace_back(first, second);
    }
    if (graph_.names().size() > 20 && below(6) == 0) {
      gone_ = name();
      out.remove_nodes.push_back(gone_);
    }
    if (below(3) == 0) add_node(out);
    for (uint64_t k = below(3); k > 0; --k) {
      const int64_t at = place();
      out.add_edges.emplace_back(graph_.names()[static_cast<size_t>(at)],
                                 near(at));
    }
    if (graph_.is_weighted()) draw_weights(out);
    if (below(3) == 0) out.set_features.push_back({name(), features()});
    if (below(4) == 0) out.set_labels.push_back({name(), label()});
    return out;
  }

 private:
  uint64_t below(uint64_t bound) { return random_.below(bound); }
  int64_t place() {
    int64_t at = 0;
    do {
      at = static_cast<int64_t>(below(graph_.names().size()));
    } while (graph_.names()[static_cast<size_t>(at)] == gone_);
    return at;
  }
  std::string name() { return graph_.names()[static_cast<size_t>(place())]; }
  std::string near(int64_t at) {
    if (near_ == 0) return name();
    const auto count = static_cast<int64_t>(graph_.names().size());
    const int64_t step =
        static_cast<int64_t>(below(static_cast<uint64_t>(2 * near_ + 1))) -
        near_;
    const auto other =
        static_cast<size_t>(std::clamp<int64_t>(at + step, 0, count - 1));
    return graph_.names()[other] == gone_ ? name() : graph_.names()[other];
  }
  std::vector<float> features() {
    std::vector<float> out;
    for (int64_t f = 0; f < graph_.num_features(); ++f) {
      out.push_back(static_cast<float>(below(3)) *
                    static_cast<float>(0.5 + random_.uniform()));
    }
    return out;
  }
  // Of some: others have the weight that is meant where none is stated.
  void draw_weights(data::GraphChange& out) {
    for (auto& edge : out.add_edges) {
      if (below(3) > 0) edge.weight = static_cast<float>(below(8)) / 3.0f;
    }
  }
  int64_t label() {
    return static_cast<int64_t>(
               below(static_cast<uint64_t>(graph_.num_classes()) + 1)) -
           1;
  }
  void add_node(data::GraphChange& out) {
    const std::string fresh = "new" + std::to_string(random_.below(1u << 30));
    out.add_nodes.push_back({fresh, features(), label()});
    const int64_t at = place();
    out.add_edges.emplace_back(graph_.names()[static_cast<size_t>(at)], fresh);
    out.add_edges.emplace_back(fresh, near(at));
  }

  const PlainGraph& graph_;
  RandomStream& random_;
  const int64_t near_;
  std::string gone_ = "\n";  // no name
};

}  // namespace

data::GraphChange random_change(const PlainGraph& graph, RandomStream& random,
                                int64_t near) {
  return ChangeDraw(graph, random, near).draw();
}

}  // namespace ordered_gnn
