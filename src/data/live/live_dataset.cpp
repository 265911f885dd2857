#include <ATen/Functions.h>

#include <algorithm>

#include "data/formats/tensor_of.h"
#include "data/live/live_graph.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kGone = -1;

// For every row the node that it is among those that are left.
std::vector<int64_t> nodes_of_rows(const std::vector<int64_t>& rows,
                                   int64_t num_rows) {
  std::vector<int64_t> out(static_cast<size_t>(num_rows), kGone);
  for (size_t i = 0; i < rows.size(); ++i) {
    out[static_cast<size_t>(rows[i])] = static_cast<int64_t>(i);
  }
  return out;
}

at::Tensor kept_nodes(const at::Tensor& nodes,
                      const std::vector<int64_t>& node_of_row) {
  const at::Tensor ids = nodes.contiguous();
  const int64_t* const id = ids.data_ptr<int64_t>();
  std::vector<int64_t> out;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int64_t node = node_of_row[static_cast<size_t>(id[i])];
    if (node != kGone) out.push_back(node);
  }
  return tensor_of(out);
}

}  // namespace

std::vector<Split> LiveGraph::splits_among(
    const std::vector<int64_t>& node_of_row) const {
  std::vector<Split> out;
  for (const Split& split : frame_->splits) {
    out.push_back({kept_nodes(split.train, node_of_row),
                   kept_nodes(split.val, node_of_row),
                   kept_nodes(split.test, node_of_row)});
  }
  return out;
}

// Numbers that are those of the nodes in order need not be written.
std::vector<std::string> LiveGraph::names_of(
    const std::vector<int64_t>& rows) const {
  std::vector<std::string> out;
  out.reserve(rows.size());
  bool are_numbers = !frame_->names->are_given();
  for (size_t i = 0; i < rows.size(); ++i) {
    out.push_back(name_of(rows[i]));
    are_numbers = are_numbers && out.back() == std::to_string(i);
  }
  if (are_numbers) out.clear();
  return out;
}

at::Tensor LiveGraph::labels_of(const std::vector<int64_t>& rows) const {
  at::Tensor out = at::empty({static_cast<int64_t>(rows.size())}, at::kLong);
  int64_t* to = out.data_ptr<int64_t>();
  for (const int64_t row : rows) *to++ = label(row);
  return out;
}

// Each message once as an edge that the treatment makes it of again; what reads
// edges both ways needs one of a pair.
LiveGraph::StoredEdges LiveGraph::stored_edges(
    const std::vector<int64_t>& node_of_row) const {
  const bool adds_loops = frame_->treatment.self_loops == SelfLoops::add;
  std::vector<int64_t> sender, receiver;
  std::vector<float> weights;
  for (int64_t r = 0; r < num_rows(); ++r) {
    const int64_t to = node_of_row[static_cast<size_t>(r)];
    const core::ListTable::Row list = in_.row(r);
    for (int64_t e = 0; e < list.size(); ++e) {
      const int64_t from = node_of_row[static_cast<size_t>(list.begin[e])];
      const float weight = is_weighted() ? list.value[e] : 1;
      if (from == to && adds_loops && weight == 1) continue;
      if (is_symmetric() && from > to) continue;
      sender.push_back(from);
      receiver.push_back(to);
      if (is_weighted()) weights.push_back(weight);
    }
  }
  const bool reversed = frame_->treatment.direction == Direction::reversed;
  return {at::stack({tensor_of(reversed ? receiver : sender),
                     tensor_of(reversed ? sender : receiver)}),
          is_weighted() ? tensor_of(weights) : at::Tensor()};
}

RawDataset LiveGraph::raw() const {
  RawDataset out;
  if (frame_->fixed_raw) {
    out = *frame_->fixed_raw;
  } else {
    const std::vector<int64_t> rows = this->rows();
    const std::vector<int64_t> node_of_row = nodes_of_rows(rows, num_rows());
    out.name = frame_->name;
    out.num_nodes = static_cast<int64_t>(rows.size());
    StoredEdges edges = stored_edges(node_of_row);
    out.edges = std::move(edges.ends);
    out.edge_weights = std::move(edges.weights);
    out.edges_are_undirected = is_symmetric();
    out.features = raw_rows(rows);
    out.labels = labels_of(rows);
    out.splits = splits_among(node_of_row);
    out.split_set = frame_->split_set;
    out.node_names = names_of(rows);
    out.feature_names = frame_->feature_names;
    out.columns = frame_->columns;
    out.provenance.notes = frame_->provenance.notes;
  }
  out.num_classes = frame_->num_classes;
  out.class_names = frame_->class_names;
  out.recommended = frame_->treatment;
  return out;
}

Graph LiveGraph::graph_of(const std::vector<int64_t>& node_of_row,
                          int64_t nodes) const {
  if (is_weighted()) {
    const StoredEdges edges = stored_edges(node_of_row);
    return Graph::from_edges(nodes, edges.ends,
                             {frame_->treatment.direction,
                              frame_->treatment.self_loops, edges.weights});
  }
  const bool is_whole = nodes == num_rows();
  Adjacency lists = in_.all();
  if (is_whole) return Graph::from_rows(std::move(lists));
  // Rows that are gone are empty and in no list: columns stay in order.
  Adjacency out{at::zeros({nodes + 1}, at::kLong), std::move(lists.col)};
  int64_t* const rowptr = out.rowptr.data_ptr<int64_t>();
  for (int64_t r = 0; r < num_rows(); ++r) {
    const int64_t node = node_of_row[static_cast<size_t>(r)];
    if (node != kGone) rowptr[node + 1] = rowptr[node] + in_.row(r).size();
  }
  int32_t* const col = out.col.data_ptr<int32_t>();
  for (int64_t e = 0; e < out.col.numel(); ++e) {
    col[e] = static_cast<int32_t>(node_of_row[static_cast<size_t>(col[e])]);
  }
  return Graph::from_rows(std::move(out));
}

NodeDataset LiveGraph::dataset() const {
  if (frame_->fixed) return *frame_->fixed;
  const std::vector<int64_t> rows = this->rows();
  const std::vector<int64_t> node_of_row = nodes_of_rows(rows, num_rows());
  NodeDataset out;
  out.name = frame_->name;
  out.graph = graph_of(node_of_row, static_cast<int64_t>(rows.size()));
  out.features = treated_rows(rows);
  out.labels = labels_of(rows);
  out.num_classes = frame_->num_classes;
  out.class_names = frame_->class_names;
  out.feature_names = frame_->feature_names;
  out.columns = frame_->columns;
  out.splits = splits_among(node_of_row);
  out.split_set = frame_->split_set;
  out.node_names = names_of(rows);
  out.treatment = frame_->treatment;
  out.feature_minimum = minimum_;
  out.provenance = frame_->provenance;
  return out;
}

}  // namespace ordered_gnn::data
