#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>

#include "data/live/live_graph.h"

namespace ordered_gnn::data {

/// Carries one change out on a version that nobody else sees yet.
class ChangeRun {
 public:
  ChangeRun(LiveGraph& graph, const ChangeLimits& limits, ChangeEffect& effect)
      : graph_(graph),
        limits_(limits),
        effect_(effect),
        in_(graph.in_),
        out_(graph.out_),
        nodes_(graph.nodes_),
        dense_(graph.dense_),
        sparse_(graph.sparse_) {}

  void run(GraphChange& change);

 private:
  using Edge = GraphChange::Edge;

  void check_limits(const GraphChange& change) const;
  int64_t row_of(const std::string& name, const std::string& field) const;
  void remove_edge(const Edge& edge, const std::string& field);
  void remove_node(int64_t row);
  void add_node(GraphChange::NewNode& node, const std::string& field);
  void add_edge(const Edge& edge, const std::string& field);
  void write_features(int64_t row, const std::vector<float>& values,
                      const std::string& field);
  void write_label(int64_t row, int64_t label, const std::string& field);
  std::string next_number() const;
  bool insert(int64_t receiver, int64_t sender, float weight);
  bool erase(int64_t receiver, int64_t sender);
  // body(receiver, sender) for what the treatment reads an edge as.
  template <typename Body>
  void for_each_message(int64_t first, int64_t second, const Body& body) const;
  // Loops that every node has have a weight that may be another than 1.
  bool is_weighted_loop(int64_t first, int64_t second) const {
    return first == second && graph_.is_weighted() &&
           graph_.treatment().self_loops == SelfLoops::add;
  }
  void check_neighbours() const;
  void follow_minimum();

  LiveGraph& graph_;
  const ChangeLimits& limits_;
  ChangeEffect& effect_;
  core::ListTable::Editor in_, out_;
  core::ChunkEditor<LiveGraph::NodeChunk> nodes_;
  core::RowTable::Editor dense_;
  core::ListTable::Editor sparse_;
  std::unordered_map<std::string_view, int64_t> new_rows_;  // by name
  std::set<int64_t> lists_, features_;
  bool has_lost_features_ = false;  // some rows' are gone
};

namespace {

std::string item(const char* list, size_t at, const char* part = "") {
  return fmt::format("{}[{}]{}", list, at, part);
}

[[noreturn]] void fail_field(const std::string& field,
                             const std::string& message) {
  throw FieldError(field, message);
}

}  // namespace

void ChangeRun::check_limits(const GraphChange& change) const {
  const auto nodes = static_cast<int64_t>(
      change.remove_nodes.size() + change.add_nodes.size() +
      change.set_features.size() + change.set_labels.size());
  if (nodes > limits_.max_nodes) {
    fail_field("", fmt::format("{} nodes in one change are more than {}; make "
                               "several changes",
                               nodes, limits_.max_nodes));
  }
  const auto edges = static_cast<int64_t>(change.remove_edges.size() +
                                          change.add_edges.size());
  if (edges > limits_.max_edges) {
    fail_field("", fmt::format("{} edges in one change are more than {}; make "
                               "several changes",
                               edges, limits_.max_edges));
  }
}

int64_t ChangeRun::row_of(const std::string& name,
                          const std::string& field) const {
  const auto found = new_rows_.find(name);
  if (found != new_rows_.end()) return found->second;
  const int64_t row = graph_.find(name);
  if (row < 0) fail_field(field, fmt::format("there is no node '{}'", name));
  return row;
}

template <typename Body>
void ChangeRun::for_each_message(int64_t first, int64_t second,
                                 const Body& body) const {
  const Treatment& treatment = graph_.treatment();
  if (first == second && treatment.self_loops != SelfLoops::keep &&
      !is_weighted_loop(first, second)) {
    return;
  }
  if (treatment.direction != Direction::reversed) body(second, first);
  if (treatment.direction != Direction::as_stored && first != second) {
    body(first, second);
  }
  if (treatment.direction == Direction::reversed && first == second) {
    body(first, second);
  }
}

bool ChangeRun::insert(int64_t receiver, int64_t sender, float weight) {
  const bool is_new = graph_.is_weighted() ? in_.put(receiver, sender, weight)
                                           : in_.insert(receiver, sender);
  if (!is_new) return false;
  if (!graph_.is_symmetric()) out_.insert(sender, receiver);
  lists_.insert(receiver);
  return true;
}

bool ChangeRun::erase(int64_t receiver, int64_t sender) {
  if (!in_.erase(receiver, sender)) return false;
  if (!graph_.is_symmetric()) out_.erase(sender, receiver);
  lists_.insert(receiver);
  return true;
}

void ChangeRun::remove_edge(const Edge& edge, const std::string& field) {
  const int64_t first = row_of(edge.first, field + "[0]");
  const int64_t second = row_of(edge.second, field + "[1]");
  bool was_there = false;
  if (is_weighted_loop(first, second)) {
    was_there = insert(first, first, 1);
  } else {
    for_each_message(first, second, [&](int64_t receiver, int64_t sender) {
      was_there = erase(receiver, sender) || was_there;
    });
  }
  if (was_there) return;
  fail_field(field,
             first == second && graph_.treatment().self_loops != SelfLoops::keep
                 ? fmt::format("the loop of '{}' is none of the stored edges: "
                               "loops are treated by the model",
                               edge.first)
                 : fmt::format("there is no edge from '{}' to '{}'", edge.first,
                               edge.second));
}

void ChangeRun::remove_node(int64_t row) {
  const auto copy = [](const core::ListTable::Row& list) {
    return std::vector<int32_t>(list.begin, list.end);
  };
  const std::vector<int32_t> senders = copy(graph_.in_.row(row));
  const std::vector<int32_t> receivers = copy(graph_.out().row(row));
  for (const int32_t sender : senders) erase(row, sender);
  for (const int32_t receiver : receivers) erase(receiver, row);
  nodes_[row / core::kRowsPerChunk].exists[LiveGraph::place(row)] = 0;
  --graph_.num_nodes_;
  lists_.erase(row);
  features_.erase(row);
  effect_.labels = effect_.labels || graph_.label(row) >= 0;
  effect_.removed_rows.push_back(row);
  has_lost_features_ = true;
  const int64_t chunk = row / core::kRowsPerChunk;
  const bool is_dense = graph_.frame_->kind == NodeFeatures::Kind::dense;
  if (!is_dense) {
    sparse_.assign(row, {});
  } else if (graph_.is_gone(chunk)) {
    dense_.clear(chunk);
  }
}

std::string ChangeRun::next_number() const {
  int64_t number = graph_.frame_->names->next_number(graph_.num_rows());
  std::string name = std::to_string(number);
  while (new_rows_.count(name) > 0 ||
         graph_.frame_->names->find(name, [](int64_t) { return true; }) >= 0) {
    name = std::to_string(++number);
  }
  return name;
}

void ChangeRun::add_node(GraphChange::NewNode& node, const std::string& field) {
  if (node.name.empty()) {
    if (!graph_.frame_->names->are_numbers()) {
      fail_field(field + ".id",
                 "the nodes of this graph have names; give the new one a name "
                 "too");
    }
    node.name = next_number();
  }
  if (new_rows_.count(node.name) > 0 || graph_.find(node.name) >= 0) {
    fail_field(field + ".id",
               fmt::format("there is a node '{}' already", node.name));
  }
  const int64_t row = graph_.num_rows();
  if (row >= std::numeric_limits<int32_t>::max()) {
    fail_field(field, "the graph has as many nodes as it can hold");
  }
  in_.grow_to(row + 1);
  if (!graph_.is_symmetric()) out_.grow_to(row + 1);
  if (graph_.nodes_.size() < core::chunks_of(row + 1)) {
    nodes_.append(std::make_shared<LiveGraph::NodeChunk>());
  }
  nodes_[row / core::kRowsPerChunk].exists[LiveGraph::place(row)] = 1;
  ++graph_.num_nodes_;
  new_rows_.emplace(node.name, row);
  if (graph_.frame_->kind == NodeFeatures::Kind::dense) {
    dense_.grow_to(row + 1);
  } else {
    sparse_.grow_to(row + 1);
  }
  lists_.insert(row);
  if (graph_.treatment().self_loops == SelfLoops::add) insert(row, row, 1);
  write_features(row, node.features, field + ".features");
  nodes_[row / core::kRowsPerChunk].label[LiveGraph::place(row)] = -1;
  if (node.label >= 0) write_label(row, node.label, field + ".label");
}

void ChangeRun::add_edge(const Edge& edge, const std::string& field) {
  const int64_t first = row_of(edge.first, field + "[0]");
  const int64_t second = row_of(edge.second, field + "[1]");
  const float weight = edge.weight.value_or(1);
  if (edge.weight && !graph_.is_weighted()) {
    fail_field(field + ".weight",
               "edges have no weights here: the graph has none, or the model "
               "was trained without");
  }
  if (!std::isfinite(weight) || weight < 0) {
    fail_field(field + ".weight",
               "a weight is a finite number, 0 or more, of 32 bits");
  }
  for_each_message(first, second, [&](int64_t receiver, int64_t sender) {
    insert(receiver, sender, weight);
  });
}

void ChangeRun::write_features(int64_t row, const std::vector<float>& values,
                               const std::string& field) {
  const int64_t width = graph_.num_features();
  if (static_cast<int64_t>(values.size()) != width) {
    fail_field(field, fmt::format("a node has {} features, got {}", width,
                                  values.size()));
  }
  const bool is_sparse = graph_.frame_->kind == NodeFeatures::Kind::sparse;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail_field(fmt::format("{}[{}]", field, i),
                 "a feature must be a finite number");
    }
    if (is_sparse && graph_.is_normalized() && values[i] < 0) {
      fail_field(fmt::format("{}[{}]", field, i),
                 fmt::format("features of this graph are row-normalised and "
                             "not negative, got {}",
                             values[i]));
    }
  }
  if (is_sparse) {
    std::vector<int32_t> columns;
    std::vector<float> kept;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      columns.push_back(static_cast<int32_t>(i));
      kept.push_back(values[i]);
    }
    sparse_.assign(row, columns, kept);
  } else {
    const float* const old = graph_.dense_.row(row);
    has_lost_features_ =
        has_lost_features_ ||
        std::find(old, old + width, graph_.minimum_) != old + width;
    std::copy(values.begin(), values.end(), dense_.row(row));
    if (graph_.is_normalized() && width > 0) {
      const float least = *std::min_element(values.begin(), values.end());
      effect_.all_features = effect_.all_features || least < graph_.minimum_;
      graph_.minimum_ = std::min(graph_.minimum_, least);
    }
  }
  features_.insert(row);
}

void ChangeRun::write_label(int64_t row, int64_t label,
                            const std::string& field) {
  if (label < -1 || label >= graph_.num_classes()) {
    fail_field(field, fmt::format("there is no class {}; classes are 0 to {}",
                                  label, graph_.num_classes() - 1));
  }
  nodes_[row / core::kRowsPerChunk].label[LiveGraph::place(row)] =
      static_cast<int32_t>(label);
  effect_.labels = true;
}

void ChangeRun::check_neighbours() const {
  for (const int64_t row : lists_) {
    if (graph_.in_.row(row).size() <= limits_.max_neighbours) continue;
    const auto is_row = [&](const auto& one) { return one.second == row; };
    const auto found = std::find_if(new_rows_.begin(), new_rows_.end(), is_row);
    fail_field("add_edges",
               fmt::format("node '{}' would receive from {} nodes; at most {} "
                           "are allowed",
                           found == new_rows_.end() ? graph_.name_of(row)
                                                    : std::string(found->first),
                           graph_.in_.row(row).size(), limits_.max_neighbours));
  }
}

// Where the least of all features may be gone, it is looked for again; it is
// mostly found in the first rows.
void ChangeRun::follow_minimum() {
  const bool is_dense = graph_.frame_->kind == NodeFeatures::Kind::dense;
  if (!has_lost_features_ || !is_dense || !graph_.is_normalized()) return;
  const int64_t width = graph_.num_features();
  float least = std::numeric_limits<float>::infinity();
  for (int64_t r = 0; r < graph_.num_rows() && least > graph_.minimum_; ++r) {
    if (!graph_.has(r)) continue;
    const float* const row = graph_.dense_.row(r);
    least = std::min(least, *std::min_element(row, row + width));
  }
  if (!(least > graph_.minimum_)) return;
  graph_.minimum_ = least;
  effect_.all_features = true;
}

void ChangeRun::run(GraphChange& change) {
  check_limits(change);
  for (size_t i = 0; i < change.remove_edges.size(); ++i) {
    remove_edge(change.remove_edges[i], item("remove_edges", i));
  }
  for (size_t i = 0; i < change.remove_nodes.size(); ++i) {
    remove_node(row_of(change.remove_nodes[i], item("remove_nodes", i)));
  }
  for (size_t i = 0; i < change.add_nodes.size(); ++i) {
    add_node(change.add_nodes[i], item("add_nodes", i));
  }
  if (graph_.num_nodes() == 0) {
    fail_field("remove_nodes", "a graph needs at least one node");
  }
  for (size_t i = 0; i < change.add_edges.size(); ++i) {
    add_edge(change.add_edges[i], item("add_edges", i));
  }
  for (size_t i = 0; i < change.set_features.size(); ++i) {
    write_features(
        row_of(change.set_features[i].name, item("set_features", i, ".id")),
        change.set_features[i].features, item("set_features", i, ".features"));
  }
  for (size_t i = 0; i < change.set_labels.size(); ++i) {
    write_label(row_of(change.set_labels[i].name, item("set_labels", i, ".id")),
                change.set_labels[i].label, item("set_labels", i, ".label"));
  }
  check_neighbours();
  follow_minimum();
  for (const auto& node : change.add_nodes) {
    graph_.new_names_.push_back(node.name);
  }
  std::sort(effect_.removed_rows.begin(), effect_.removed_rows.end());
  effect_.list_rows.assign(lists_.begin(), lists_.end());
  effect_.feature_rows.assign(features_.begin(), features_.end());
}

LiveGraph LiveGraph::changed(GraphChange& change, const ChangeLimits& limits,
                             ChangeEffect& effect) const {
  if (!fixed_because().empty()) {
    throw FieldError("", fmt::format("the graph '{}' cannot change, because {}",
                                     name(), fixed_because()));
  }
  LiveGraph out = *this;
  effect = {};
  ChangeRun(out, limits, effect).run(change);
  return out;
}

}  // namespace ordered_gnn::data
